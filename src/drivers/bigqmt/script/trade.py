"""One account at the terminal: what a client may ask, and what the terminal calls back."""

import collections

from broker_rows import asset_row, position_row
from faults import CallError
from fields import Unreadable, is_of
from fills import fill_key, is_named
from orders import Orders
from reports import Reports, left_out_text
from settings import limit


class Trade(object):
    """`tell(event)` says how things stand, once; `record(event)` is numbered and told again."""

    def __init__(self, terminal, journal, tell, record, awake, log):
        self._terminal = terminal
        self._journal = journal
        self._tell = tell
        self._record = record
        self._awake = awake
        self._log = log
        self._orders = Orders(terminal, journal, record, awake, limit("settle_ms"), log)
        self._reports = Reports(terminal, journal, self._orders, log)
        self._deals = collections.OrderedDict()  # those that are written down
        for event in journal.after(0):
            if event.get("kind") == "deal":
                self._deals[fill_key(event["row"])] = True
                # The journal dates what bears no time, and told again it bears none.
                self._deals[fill_key(dict(event["row"], time=0))] = True
        self._session = 0
        self._is_connected = False
        self._missed = 0
        self._looked_at = 0.0
        self._proved_at = 0.0
        self.methods = {
            "connect": self.connect,
            "submit": self.submit,
            "barrier": self.barrier,
            "cancel": self.cancel,
            "query": self.query,
        }

    # Calls

    def connect(self, wanted):
        objection = self._terminal.objection()
        if objection is None and wanted.get("account_id") != self._terminal.account_id:
            objection = "此脚本属于另一个资金账号 (this script serves another account)"
        kind = (wanted.get("account_type") or "STOCK").upper()
        if objection is None and kind != self._terminal.account_type.upper():
            objection = "账号类型不符：脚本为 %s (this script serves another type of account)" % self._terminal.account_type
        if objection is not None:
            raise CallError("FAILED", objection)
        row = self._reports.asset()
        if row["total"] == 0 and row["cash"] == 0:
            self._log("warning", "the asset is all zeros: is account_type right?")
        is_new = not self._is_connected
        self._session += 1 if is_new else 0
        self._is_connected = True
        self._missed = 0
        return {"session": self._session, "is_new": is_new}

    def submit(self, wanted):
        self._need_connection()
        try:
            self._reports.asset()
        except CallError as error:
            if self._journal.order(wanted["client_order_id"]) is None:
                raise CallError("NOT_CONNECTED", error.text)  # a terminal without a login drops it silently
        return self._orders.submit(wanted)

    def barrier(self, _wanted):
        """Answers only when no order that was handed over before can appear any more.

        Whoever is listed has arrived. What is not is waited for, and the account answers now.
        """
        self._need_connection()
        self._reports.asset()
        self._orders.look()
        count = self._orders.standing()
        if count:
            raise CallError("STANDS", "%d 笔已交给终端的委托尚无回音或委托号 (orders were handed to the terminal of which nothing, or no number, was heard)" % count)
        return {}

    def cancel(self, wanted):
        self._need_connection()
        return self._orders.cancel(wanted)

    def query(self, wanted):
        self._need_connection()
        return self._reports.query(wanted)

    def _need_connection(self):
        if not self._is_connected:
            raise CallError("NOT_CONNECTED", "未连接交易终端 (not connected to the terminal)")

    # Between the calls

    def watch(self, now_ms):
        """Looks for orders without news, and whether the account still answers."""
        if self._orders.is_waiting and now_ms - self._looked_at >= limit("look_ms"):
            self._looked_at = now_ms
            self._look()
        if self._is_connected and now_ms - self._proved_at >= limit("proof_ms"):
            self._proved_at = now_ms
            self._prove()

    def _look(self):
        try:
            self._orders.look()
            self._orders.standing()  # those that have waited long enough are looked for no more
        except CallError:
            pass  # it is tried again, and the account's proof says what is wrong

    def _prove(self):
        try:
            self._reports.asset()
            self._missed = 0
        except CallError as error:
            self._missed += 1
            if self._missed >= limit("proofs_missed_max"):
                self._is_connected = False
                self._tell({"kind": "disconnected", "text": error.text})

    # What the terminal calls back

    def order(self, thing):
        row = self._read("order", self._reports.order, thing)
        if row is not None:
            self._record({"kind": "order", "row": row})

    def deal(self, thing):
        """One that is told again after a reconnect is told on, and not written down again."""
        row = self._read("deal", self._reports.deal, thing)
        if row is None:
            return
        key = fill_key(row)
        if key in self._deals:
            self._tell({"kind": "deal", "row": row})
        else:
            self._record({"kind": "deal", "row": row})
            self._deals[key] = True
            if len(self._deals) > limit("deals_known_max"):
                self._deals.popitem(last=False)
        if is_named(row):  # or it is another one like it
            self._tell({"kind": "left_out", "text": "成交 %s 没有成交编号 (a fill without a number)" % row["code"]})

    def position(self, thing):
        self._state("position", position_row, thing)

    def account(self, thing):
        self._state("asset", asset_row, thing)

    def _state(self, kind, row_of, thing):
        if not self._terminal.is_ours(thing):
            return
        row = self._read("position" if kind == "position" else "account", row_of, thing)
        if row is not None:
            self._tell({"kind": kind, "row": row})

    def _read(self, kind, row_of, thing):
        """None for a row of somebody else, and for one that cannot be read: whoever hears of that asks for lists."""
        if not is_of(self._terminal.account_id, thing):
            return None
        try:
            return row_of(thing)
        except Unreadable as error:
            text = left_out_text(kind, thing, error)
            self._log("error", "a push cannot be read: %s" % text)
            self._tell({"kind": "left_out", "text": text})
            return None

    def order_error(self, arguments, text):
        self._orders.failed(arguments, text)
