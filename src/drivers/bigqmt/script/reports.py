"""The four reports. One row or field that cannot be read leaves itself out, not the list."""

from broker_rows import asset_row, deal_row, number_text, order_row, position_row, remark_of, stand_in_name
from faults import CallError
from fields import Unreadable, as_text, mark_of, text_of
from fills import fill_name, told_apart

KINDS = {"positions": "position", "orders": "order", "deals": "deal"}
WORDS = {"position": "持仓", "order": "委托", "deal": "成交", "account": "资金"}
# Rows of one list that are named; the others are counted.
LEFT_OUT_MAX = 20


def left_out_text(kind, thing, error):
    """What can be said of a row that cannot be told."""
    parts = (WORDS[kind], text_of(thing, "m_strInstrumentID"), text_of(thing, "m_strOrderSysID"))
    return "%s: %s: %s" % (" ".join(part for part in parts if part), type(error).__name__, as_text(error))


class Reports(object):
    def __init__(self, terminal, journal, orders, log):
        self._terminal = terminal
        self._journal = journal
        self._orders = orders
        self._log = log
        self._said = {}

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
        return self._rows(KINDS[what], found, row_of)

    def _rows(self, kind, found, row_of):
        """From a list with a row left out nobody may conclude that something is not there."""
        rows, left_out = [], []
        for thing in found:
            try:
                row = row_of(thing)
                if row is not None:
                    rows.append(row)
            except Exception as error:
                left_out.append(left_out_text(kind, thing, error))
        self._say(kind, left_out)
        more = len(left_out) - LEFT_OUT_MAX
        rows = told_apart(rows) if kind == "deal" else rows
        return {"rows": rows, "left_out": left_out[:LEFT_OUT_MAX] + (["... %d more" % more] if more > 0 else [])}

    def _say(self, kind, left_out):
        """Once, until others are left out."""
        if self._said.get(kind, []) != left_out:
            self._said[kind] = left_out
            for text in left_out[:LEFT_OUT_MAX]:
                self._log("error", "left out, cannot be read: %s" % text)

    def order(self, thing):
        """None for an order of ours that has no number yet: it is on its way."""
        row = order_row(thing)
        remark = remark_of(thing)
        number = number_text(thing)
        own = self._journal.client_order_id(number, remark, row)
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
        own = self._journal.client_order_id(number, remark, row)
        first = ""
        if own and self._journal.order(own) is not None:
            number = self._orders.dealt(own, number)
            first = self._journal.order(own)["order_id"]  # the terminal may have numbered its orders anew since
            self._fill(row, own)
            if not number and not row["deal_id"]:
                raise Unreadable("m_strTradeID")  # nothing to call it by that stays
        if not row["deal_id"]:
            row["deal_id"] = fill_name(row, first or number)
        return dict(row, order_id=number, client_order_id=own or mark_of(remark))

    def _fill(self, row, own):
        """What only the one who placed it knows."""
        asked = self._journal.asked(own)
        row["strategy"] = asked.get("strategy", "")
        row["order_type"] = asked.get("order_type", row["order_type"])
        if "price_type" in row:
            row["price_type"] = asked.get("price_type", row["price_type"])
