"""One account at the trading client, through xtquant.

xtquant runs all callbacks on one thread, and a query made there waits for itself. So callbacks only
put things into a queue; the event thread turns them into rows, writes them down and tells them.
"""

import queue
import threading

import names
import rows
from bearers import Bearers
from connection import Connection
from fills import fill_name, is_named, told_apart
from lanes import CallError
from lists import Lists
from journal import UNWRITTEN, remark_key
from refusals import UNEXPLAINED, Refusals

EVENTS_WAITING_MAX = 100000
EARLY_MAX = 1000
PRICE_UNITS = 10000.0
STRATEGY_CHARS_MAX = 20
CANCEL_TEXTS = {
    -1: "撤单失败：委托已结束或柜台拒绝 (already finished, or refused)",
    -2: "撤单失败：委托不存在 (no such order)",
    -3: "撤单失败：账号未登录 (not logged in)",
}
UNNUMBERED = "该委托在交易客户端没有编号，无法由此撤单，请在下单的地方撤单 (the trading client shows no number of this order: cancel it where it was placed)"
NO_SYSID_CANCEL = "该委托只有柜台合同编号，而此版本接口库不能按合同编号撤单，请在下单的地方撤单 (this release cannot cancel by the counter's number: cancel it where it was placed)"
UNHEARD = (
    "%d 笔已交给接口库的委托尚无任何应答，重启交易客户端可了结 (orders were handed to the library of which nothing was heard: "
    "start the trading client anew to have them decided)"
)
# As the library counts markets in this one call.
MARKET_NUMBERS = {"SH": 0, "SZ": 1, "BJ": 70}
# As the number of a request, or of an order.
REFUSED = -1
# Told as they come and never again: they say how things stand, and that is asked anew.
STATE_KINDS = ("disconnected", "account_status", "asset", "position")


class Trader:
    def __init__(self, journal, tell, record, look_at_order, standing, log, refusal_s=1.0):
        """`tell(event)` sends; `record(event)` numbers it and writes it down first.

        `look_at_order(order_id)` asks for that order soon, on another lane. `standing()` counts the
        submits that were given up and have not come back, whoever asked for them. A refusal without a
        reason waits `refusal_s` for one.
        """
        self._journal = journal
        self._tell = tell
        self._record = record
        self._look_at_order = look_at_order
        self._standing = standing
        self._log = log
        self._lock = threading.Lock()
        self._connection = Connection(journal, self._put, self._holds, self._lock, log)
        self._refusals = Refusals(refusal_s)
        self._bearers = Bearers(journal, lambda: self._connection.session)
        self._requests = {}
        self._early = {}
        self._untold = {}  # our ids of orders that the library has, and the session: not a word of them yet
        self._lists = Lists(self._connection, log)
        self._events = queue.Queue(EVENTS_WAITING_MAX)
        self._has_lost = False
        threading.Thread(target=self._turn_events, name="events", daemon=True).start()

    def connect(self, wanted):
        return self._connection.connect(wanted)

    @property
    def left(self):
        """Sessions that were given up, to be watched as a lane."""
        return self._connection.left

    def _holds(self, session):
        """Whether the library has orders of this session of which nothing was heard.

        For the watch, which must not wait for the lock: a disk may keep whoever holds it.
        """
        return session in list(self._untold.values())

    # Orders

    def submit(self, wanted):
        """Sends an order once. A repeated id is answered with what became of the first."""
        own = wanted["client_order_id"]
        with self._lock:
            earlier = self._journal.earlier(own)
            if earlier is not None:
                return self._outcome(own) or earlier
            trader, account = self._connection.live()
            session = self._connection.session
            try:
                self._journal.intend(own, wanted)
            except OSError as error:
                raise CallError("NOT_STARTED", UNWRITTEN % error)
            self._untold[own] = session
        request = trader.order_stock_async(
            account,
            wanted["code"],
            wanted["order_type"],
            wanted["quantity"],
            wanted["price_type"],
            wanted["price"] / PRICE_UNITS,
            wanted["strategy"][:STRATEGY_CHARS_MAX],
            remark_key(own),
        )
        if request is None or REFUSED != int(request) < 0:
            return self._journal.order(own)  # neither a number nor a refusal: nobody knows
        if int(request) == REFUSED:
            text = "交易客户端未接受委托 (order_stock_async returned %s)" % request
            self._heard_of(own)
            try:
                self._journal.refused(own, text)
            except OSError:  # a disk without room: whoever asked is told all the same
                return {"state": "rejected", "order_id": "", "text": text}
            return self._journal.order(own)
        self._journal.sent(own, int(request))
        with self._lock:
            early = self._early.pop((session, int(request)), None)
            if early is None:
                if len(self._requests) >= EARLY_MAX:  # answers that were lost
                    self._requests.pop(next(iter(self._requests)))
                self._requests[(session, int(request))] = own
        if early is not None:
            self._settle(own, early)
        with self._lock:
            return dict(self._outcome(own), is_sent=True)

    def _outcome(self, own):
        """What became of it; of a refusal that waits for its reason that is told later."""
        if self._refusals.is_waiting(own):
            return {"state": "unknown", "order_id": "", "text": "", "is_sent": True}
        return self._journal.order(own)

    def barrier(self, _wanted):
        """The session, when no order that was asked for before can arrive any more, if it answers now.

        On the lane of the orders, so behind all that wait. None that was given up stands inside the
        library; the library has none of which nothing was heard, in this session or in one that has
        not ended. What an earlier session or process held ended with it.
        """
        count = self._standing()
        if count:
            raise CallError("STANDS", "%d 笔委托的调用仍停在交易客户端的接口库中 (order calls still stand in the trading client's library)" % count)
        with self._lock:
            session = self._connection.session
            stands = self._connection.left.stands
            self._untold = {own: held for own, held in self._untold.items() if held == session or stands(held)}
            count = len(self._untold)
        if count:
            raise CallError("STANDS", UNHEARD % count)
        return session

    def answers(self, session):
        """The second half of a barrier, for which no order must wait: this session still answers."""
        self._connection.asset()
        if session != self._connection.session:
            raise CallError("NOT_CONNECTED", "a later connection has taken over")
        return {}

    def _heard_of(self, own):
        with self._lock:
            self._untold.pop(own, None)

    def _responded(self, session, thing):
        """The answer to a request may come before the number of the request."""
        key = (session, rows.whole(rows.of(thing, "seq")))
        with self._lock:
            own = self._requests.pop(key, None)
            if own is None:
                own = self._journal.client_order_id("", rows.text(rows.of(thing, "order_remark")))
            if not own:
                if len(self._early) >= EARLY_MAX:
                    self._early.pop(next(iter(self._early)))
                self._early[key] = thing
                return
        self._settle(own, thing)

    def _settle(self, own, thing):
        """Only -1 is a refusal, and what comes with words for it. Else, with no number that can be read, it has left
        the library, and nobody knows: in 32 bits a long number is negative."""
        order_id = rows.of(thing, "order_id")
        text = rows.text(rows.of(thing, "error_msg"))
        if rows.order_number(order_id):
            self._placed(own, rows.order_number(order_id))
        elif rows.whole(order_id) < 0 and text:
            self._refused(own, text)
        elif rows.whole(order_id) != REFUSED:
            self._heard_of(own)
            self._log("warning", "answered without a number, fate unknown: %s %s %s" % (own, order_id, text))
        else:
            self._await_reason(own, rows.whole(rows.of(thing, "seq")))

    def _placed(self, own, order_id):
        """The first name that it is told under is the one it keeps."""
        self._heard_of(own)
        with self._lock:
            known = self._journal.order(own)
            if known is not None and known["state"] == "accepted":
                return
            self._refusals.end(own)
            self._journal.placed(own, order_id)
            self._bearers.prove(order_id)
        self._record({"kind": "placed", "client_order_id": own, "order_id": order_id})

    def _refused(self, own, text):
        self._heard_of(own)
        with self._lock:
            known = self._journal.order(own)
            if not self._refusals.end(own) and (known is None or known["state"] != "unknown"):
                return
            self._journal.refused(own, text)
        self._record({"kind": "refused", "client_order_id": own, "text": text})

    def _await_reason(self, own, request):
        """Refused, whatever follows: only the words for it are waited for."""
        self._heard_of(own)
        with self._lock:
            known = self._journal.order(own)
            if known is None or known["state"] != "unknown":
                return
            self._journal.refused(own, UNEXPLAINED)
            self._refusals.wait(own, request)
        self._put(0, "wake", None)

    def _tell_unexplained(self):
        with self._lock:
            due = self._refusals.due()
        for own in due:
            self._refused(own, UNEXPLAINED)

    def cancel(self, wanted):
        trader, account = self._connection.live()
        name = wanted["order_id"]
        known = self._journal.behind(name) if names.is_made(name) else {"number": name}
        if known is None or not (known["number"] or known["sysid"]):
            raise CallError("FAILED", UNNUMBERED)
        if known["number"]:
            code = trader.cancel_order_stock(account, int(known["number"]))
        else:
            code = self._cancel_by_sysid(trader, account, known)
        if code != 0:
            raise CallError("FAILED", CANCEL_TEXTS.get(code, "撤单失败 (%s)" % code))
        return {}

    def _cancel_by_sysid(self, trader, account, known):
        method = getattr(trader, "cancel_order_stock_sysid", None)
        market = MARKET_NUMBERS.get(names.exchange_of(known["code"]))
        if method is None or market is None:
            raise CallError("FAILED", NO_SYSID_CANCEL)
        return method(account, market, known["sysid"])

    # Queries

    def query(self, wanted):
        what = wanted["what"]
        if what == "asset":
            return {"rows": [self._connection.asset()]}
        trader, account = self._connection.live()
        if what == "positions":
            found = trader.query_stock_positions(account)
            return self._lists.of("position", found, lambda thing: rows.position(thing, self._bearers))
        if what == "orders":
            # With the account alone: all orders in every release, and the first has no second argument.
            found = trader.query_stock_orders(account)
            found = None if found is None else list(found)
            book = self._bearers.of_list(found or ())
            return self._lists.of("order", found, lambda thing: self._listed_order(thing, book))
        if what == "deals":
            answer = self._lists.of("deal", trader.query_stock_trades(account), self._deal)
            return dict(answer, rows=told_apart(answer["rows"]))
        raise CallError("BAD_REQUEST", "no report is called %r" % what)

    def _listed_order(self, thing, book):
        """A row that may be of an order of ours; one that is listed has arrived, with a number or without."""
        row = rows.order(thing, book)
        own = row["client_order_id"]
        self._heard_of(own)
        if not own and book.has_former_number(row["order_id"]):
            row["has_former_number"] = True
        if names.is_made(row["order_id"]) and self._journal.order(own) is not None:
            self._placed(own, row["order_id"])
            row["order_id"] = self._journal.order(own)["order_id"]
        return row

    def _deal(self, thing):
        """Of an order of ours that has no name yet, it is found by our id. Raises Unreadable."""
        row = rows.deal(thing, self._bearers)
        known = self._journal.order(row["client_order_id"])
        if known is not None and names.is_made(row["order_id"]) and row["order_id"] != known["order_id"]:
            row["order_id"] = ""
        self._heard_of(row["client_order_id"])
        if not row["deal_id"]:
            if known is not None and not row["order_id"]:
                raise rows.Unreadable("traded_id", "no number, nor a name that stays")
            row["deal_id"] = fill_name(row, self._first_name(row, known))
        return row

    def _first_name(self, row, known):
        """What the order of a fill was called first: the terminal may have numbered its orders anew since."""
        own = known["order_id"] if known is not None else ""
        return own or self._journal.first_number(row["sysid"], row["code"]) or row["order_id"]

    def look(self, order_id):
        """News of one order after an error that named it: errors can lie, rows decide."""
        trader, account = self._connection.live()
        found = trader.query_stock_order(account, int(order_id))
        if found is not None and rows.is_of(self._connection.account_id, found):
            row = rows.order(found, self._bearers)
            self._heard_of(row["client_order_id"])
            self._record({"kind": "order", "row": row})

    # Events

    def _put(self, session, kind, thing):
        """Called on the callback thread of xtquant: nothing but this."""
        try:
            self._events.put_nowait((session, kind, thing))
        except queue.Full:
            self._has_lost = True

    def _turn_events(self):
        while True:
            with self._lock:
                wait_s = self._refusals.wait_s()
            try:
                session, kind, thing = self._events.get(timeout=wait_s)
            except queue.Empty:
                session, kind, thing = 0, "wake", None
            try:
                self._tell_unexplained()
                self._turn(session, kind, thing)
            except rows.Unreadable as error:
                self._leave_out(kind, thing, error)
            except Exception as error:
                self._log("error", "%s: %s: %s" % (kind, type(error).__name__, error))
                self._has_lost = True
            if self._has_lost and self._events.empty():
                self._has_lost = False
                self._tell({"kind": "disconnected", "text": "推送丢失，重新核对 (pushes were lost)"})

    def _leave_out(self, kind, thing, error):
        """News that cannot be read: the lists are asked instead, and say what they can."""
        text = "%s: %s" % (rows.told(kind, thing), error)
        self._log("error", "left out, cannot be read: %s" % text)
        self._tell({"kind": "left_out", "text": text})

    def _turn(self, session, kind, thing):
        is_old = session != self._connection.session
        if kind == "disconnected":
            if is_old or not self._connection.is_connected:
                return
            self._connection.is_connected = False
            self._tell({"kind": kind, "text": "交易客户端断开连接 (pushed by the trading client)"})
        elif kind in STATE_KINDS:
            if not is_old and self._connection.is_ours(thing):
                self._tell_state(session, kind, thing)
        elif kind == "response":
            self._responded(session, thing)
        elif kind in ("order", "deal"):
            if rows.is_of(self._connection.account_id, thing):
                self._row(kind, thing)
        elif kind in ("order_error", "cancel_error"):
            self._error(kind, thing)

    def _tell_state(self, session, kind, thing):
        if kind == "account_status":
            self._tell({"kind": kind, "status": self._connection.noted(session, thing)})
        else:
            row = rows.asset(thing) if kind == "asset" else rows.position(thing, self._bearers)
            self._tell({"kind": kind, "row": row})

    def _row(self, kind, thing):
        row = rows.order(thing, self._bearers) if kind == "order" else self._deal(thing)
        own, order_id = row["client_order_id"], row["order_id"]
        self._heard_of(own)
        known = self._journal.order(own)
        if known is not None and order_id:
            if names.is_made(order_id) and known["order_id"] != order_id:
                return  # its number is on its way, or else the next list tells of it
            self._placed(own, order_id)
        self._record({"kind": kind, "row": row})
        if kind == "deal" and is_named(row):  # or it is another one like it
            self._tell({"kind": "left_out", "text": "%s: 没有成交编号 (a fill without a number)" % rows.told(kind, thing)})

    def _error(self, kind, thing):
        order_id = rows.order_number(rows.need(thing, "order_id"))
        text = rows.text(rows.of(thing, "error_msg"))
        self._log("warning", "%s %s: %s" % (kind, order_id or "-", text))
        if order_id:
            self._look_at_order(order_id)
            return
        own = self._journal.client_order_id("", rows.text(rows.of(thing, "order_remark")))
        with self._lock:
            own = own or self._refusals.behind(rows.whole(rows.of(thing, "seq")) or None)
        if kind == "order_error" and own:
            self._refused(own, text or UNEXPLAINED)
