"""Orders by passorder, which answers nothing: each is handed over once and unconfirmed until it is seen."""

from broker_rows import BUY, ENDED, SELL, number_text, order_row, remark_of, stand_in_name
from clocks import shanghai_hour, wall_ms
from faults import CallError
from fields import Unreadable, as_text, text_of
from journal import UNWRITTEN, remark_key

PRICE_UNITS = 10000.0
STRATEGY_CHARS_MAX = 20
OPERATIONS = {
    "STOCK": {BUY: 23, SELL: 24},
    "CREDIT": {BUY: 33, SELL: 34},
}
# From this hour on the counter takes no cancel, though the terminal says that it was sent.
LAST_CANCEL_HOUR = 17


class Orders(object):
    def __init__(self, terminal, journal, record, awake, settle_ms, log):
        """`record(event)` numbers an event, writes it down and tells it."""
        self._terminal = terminal
        self._journal = journal
        self._record = record
        self._awake = awake
        self._settle_ms = settle_ms
        self._log = log
        self._unheard = {}  # our ids of orders that were handed over, and when: not a trace of them yet
        self._unnumbered = {}  # those that are listed without a number, since when
        self._names = {}  # numbers of orders that got a name of ours before they got them
        for own in journal.unknown():
            self._unheard[own] = (journal.asked_ms(own), awake.ms)

    def submit(self, wanted):
        """Hands an order over once. A repeated id is answered with what became of the first."""
        own = wanted["client_order_id"]
        earlier = self._journal.earlier(own)
        if earlier is not None:
            return earlier
        operation = self._operation(wanted["order_type"])
        self._terminal.function("passorder")
        now = wall_ms()
        try:
            self._journal.intend(own, wanted)
        except OSError as error:
            raise CallError("NOT_STARTED", UNWRITTEN % error)
        self._unheard[own] = (now, self._awake.ms)
        order = {
            "code": wanted["code"],
            "price_type": wanted["price_type"],
            "price": wanted["price"] / PRICE_UNITS,
            "quantity": wanted["quantity"],
            "strategy": wanted["strategy"][:STRATEGY_CHARS_MAX],
            "remark": remark_key(own),
        }
        try:
            self._terminal.pass_order(operation, order)
        except Exception as error:
            # It may have got through before it failed.
            self._log("error", "passorder: %s: %s" % (type(error).__name__, error))
            return self._journal.order(own)
        self._journal.sent(own, 0)
        return dict(self._journal.order(own), is_sent=True)

    def _operation(self, order_type):
        kind = OPERATIONS.get(self._terminal.account_type.upper(), {})
        if order_type not in kind:
            raise CallError("BAD_REQUEST", "此账号类型不支持该委托 (no such order on this type of account)")
        return kind[order_type]

    # What is standing

    @property
    def is_waiting(self):
        return bool(self._unheard or self._unnumbered)

    def look(self):
        """Reads the list for orders that nobody has called back about. Raises CallError."""
        gone = set(self._unnumbered)
        for thing in self._terminal.detail("order"):
            own = self._journal.client_order_id(number_text(thing), remark_of(thing))
            gone.discard(own)
            try:
                if own and self._journal.order(own) is not None:
                    self.seen(own, number_text(thing), order_row(thing))
            except Unreadable as error:
                self._log("warning", "an order of ours cannot be read: %s" % error)
        for own in gone:
            self._unlisted(own)

    def _unlisted(self, own):
        """Its row went before it had a number, as of one that is refused by a pop-up. It may be back: it is waited
        for as one that has shown nothing yet, and not for ever."""
        self._unnumbered.pop(own, None)
        self._unheard[own] = (wall_ms(), self._awake.ms)

    def standing(self):
        """How many may still appear, or get their number, though the list does not show them."""
        self._unheard = dict(
            (own, since) for own, since in self._unheard.items() if not self._is_settled(*since)
        )
        return len(self._unheard) + len(self._unnumbered)

    def _is_settled(self, sent_ms, awake_ms):
        """Both clocks must agree; a calendar that was set back says nothing."""
        by_wall = wall_ms() - sent_ms
        by_life = self._awake.ms - awake_ms
        return by_life >= self._settle_ms and not 0 <= by_wall < self._settle_ms

    # What is heard

    def seen(self, own, number, row):
        """A row of an order of ours. Returns the name under which it is told; empty while it has none."""
        self._unheard.pop(own, None)
        if number:
            return self.dealt(own, number)
        known = self._journal.order(own)
        if known["order_id"]:
            return known["order_id"]
        if row["status"] in ENDED and row["traded"] == 0:
            self.refused(own, row["text"] or "委托未到达柜台 (it ended without a number)")
            return ""
        since = self._unnumbered.setdefault(own, self._awake.ms)
        if self._awake.ms - since < self._settle_ms:
            return ""
        self._placed(own, stand_in_name(row, own))
        return self._journal.order(own)["order_id"]

    def dealt(self, own, number):
        """The name under which an order of ours with this number is told."""
        self._unheard.pop(own, None)
        known = self._journal.order(own)
        if known["order_id"].startswith("row:") and number:
            self._names[number] = known["order_id"]
            return known["order_id"]
        if number:
            self._placed(own, number)
        return number or known["order_id"]

    def number_of(self, name):
        """The counter's number behind a name that was told."""
        for number, told in self._names.items():
            if told == name:
                return number
        return name

    def _placed(self, own, name):
        self._unnumbered.pop(own, None)
        if self._journal.order(own)["state"] == "accepted":
            return
        self._journal.placed(own, name)
        self._record({"kind": "placed", "client_order_id": own, "order_id": name})

    def refused(self, own, text):
        self._unheard.pop(own, None)
        self._unnumbered.pop(own, None)
        if self._journal.order(own)["state"] != "unknown":
            return
        self._journal.refused(own, text)
        self._record({"kind": "refused", "client_order_id": own, "text": text})

    def failed(self, arguments, text):
        """The terminal would not send an order. A row that says otherwise counts more."""
        own = self._named_in(arguments)
        self._log("warning", "order error %s: %s" % (own or "-", as_text(text)))
        if not own:
            return
        has_row = own in self._unnumbered  # of late; the list may be behind it
        self.look()
        if own in self._unheard and not has_row:
            self.refused(own, as_text(text) or "终端拒绝委托 (the terminal refused it)")

    def _named_in(self, arguments):
        """Our id in any text of these arguments; the remark stands behind the strategy's name."""
        texts = [arguments] if isinstance(arguments, str) else [
            as_text(getattr(arguments, name, "")) for name in dir(arguments) if name[:2] != "__"
        ]
        for own in self._journal.unknown():
            if any(remark_key(own) in text for text in texts):
                return own
        return ""

    # Cancels

    def cancel(self, wanted):
        """Taken when the terminal has sent it on; what became of it, the row of the order says."""
        if shanghai_hour(wall_ms()) >= LAST_CANCEL_HOUR:
            raise CallError("FAILED", "撤单失败：17:00 之后柜台不再处理撤单 (the counter takes no cancel after 17:00)")
        name = str(wanted["order_id"])
        number = self.number_of(name)
        found = [row for row in self._terminal.detail("order") if number_text(row) == number]
        if number.startswith("row:") or not found:
            raise CallError("FAILED", "撤单失败：委托不存在，或尚无委托号 (no such order, or it has no number yet)")
        if all(self._has_ended(thing) for thing in self._meant(number, found)):
            raise CallError("FAILED", "撤单失败：委托已结束 (already finished)")
        try:
            is_sent = self._terminal.cancel(number)
        except CallError:
            raise
        except Exception as error:
            raise CallError("FAILED", "撤单失败：%s: %s" % (type(error).__name__, error))
        if not is_sent:
            raise CallError("FAILED", "撤单失败：终端未发出撤单 (the terminal did not send it)")
        return {}

    def _meant(self, number, found):
        """Two exchanges may have given one number: ours is at its own, and of others either may be meant."""
        code = self._journal.asked(self._journal.numbered(number)).get("code")
        ours = [thing for thing in found if text_of(thing, "m_strInstrumentID").startswith(code[:6])] if code else []
        return ours or found

    def _has_ended(self, thing):
        try:
            return order_row(thing)["status"] in ENDED
        except Unreadable:
            return False
