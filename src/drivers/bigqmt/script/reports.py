"""The four reports. One row or field that cannot be read leaves itself out, not the list."""

from broker_rows import asset_row, deal_row, number_text, order_row, position_row, remark_of, stand_in_name
from faults import CallError
from fields import Unreadable, as_text, mark_of

KINDS = {"positions": "position", "orders": "order", "deals": "deal"}


class Reports(object):
    def __init__(self, terminal, journal, orders, log):
        self._terminal = terminal
        self._journal = journal
        self._orders = orders
        self._log = log
        self._said = set()

    def asset(self):
        """A row; the proof that the account is logged in. Raises CallError."""
        found = self._terminal.detail("account")
        if not found:
            raise CallError("FAILED", "资金查询无应答：请确认终端已登录该账号 (the terminal gave no asset)")
        try:
            return asset_row(found[0])
        except Unreadable as error:
            raise CallError("FAILED", "资金无法读取：%s (the asset cannot be read)" % error)

    def query(self, wanted):
        what = wanted.get("what")
        if what == "asset":
            return {"rows": [self.asset()]}
        if what not in KINDS:
            raise CallError("BAD_REQUEST", "no report is called %r" % (what,))
        found = self._terminal.detail(KINDS[what])
        if not found:
            self.asset()  # an empty list is what a terminal without a login answers too
        row_of = {"positions": position_row, "orders": self.order, "deals": self.deal}[what]
        return self._rows(what, found, row_of)

    def _rows(self, what, found, row_of):
        rows, left_out = [], []
        for thing in found:
            try:
                row = row_of(thing)
                if row is not None:
                    rows.append(row)
            except Exception as error:
                left_out.append("%s: %s" % (type(error).__name__, as_text(error)))
        for text in left_out:
            self._say_once("a row of %s was left out: %s" % (what, text))
        return {"rows": rows, "left_out": len(left_out)}

    def _say_once(self, text):
        if text not in self._said and len(self._said) < 1000:
            self._said.add(text)
            self._log("warning", text)

    def order(self, thing):
        """None for an order of ours that has no number yet: it is on its way."""
        row = order_row(thing)
        remark = remark_of(thing)
        number = number_text(thing)
        own = self._journal.client_order_id(number, remark)
        if own and self._journal.order(own) is not None:
            name = self._orders.seen(own, number, row)
            if not name:
                return None
            self._fill(row, own)
        else:
            own, name = own or mark_of(remark), number or stand_in_name(row)
        return dict(row, order_id=name, client_order_id=own)

    def deal(self, thing):
        row = deal_row(thing)
        remark = remark_of(thing)
        number = number_text(thing)
        own = self._journal.client_order_id(number, remark)
        if own and self._journal.order(own) is not None:
            number = self._orders.dealt(own, number)
            self._fill(row, own)
        if not row["deal_id"]:
            row["deal_id"] = "row:%s:%s:%s:%s" % (number, row["time"], row["quantity"], row["price"])
        return dict(row, order_id=number, client_order_id=own or mark_of(remark))

    def _fill(self, row, own):
        """What only the one who placed it knows."""
        asked = self._journal.asked(own)
        row["strategy"] = asked.get("strategy", "")
        if "price_type" in row:
            row["price_type"] = asked.get("price_type", row["price_type"])
