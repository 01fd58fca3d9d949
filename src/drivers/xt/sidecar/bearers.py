"""Whose the rows of a session are.

A terminal that is started anew may number the orders of everybody anew, and give a number of ours to somebody
else's order of the same terms. So a number that was told in an earlier session proves nothing by itself in this
one: a list decides it, where all orders stand side by side.
"""

import rows
from names import is_made
from terms import is_of_one_exchange


class Bearers(object):
    """What the rows of this session are looked up in: the journal, but for numbers that nothing has proven yet."""

    def __init__(self, journal, session):
        """`session()`: the number of the session that stands."""
        self._journal = journal
        self._session = session
        self._proven = (0, set())  # of which session, and which numbers
        self.called = journal.called
        self.owner = journal.owner
        self.code = journal.codes.seen

    def prove(self, order_id):
        """The terminal has told this number of an order of ours, in this session."""
        self._numbers().add(order_id)

    def is_proven(self, order_id):
        return order_id in self._numbers()

    def client_order_id(self, order_id, remark, row=None):
        own = self._journal.client_order_id("", remark)
        if own and self._journal.numbered(order_id) == own:
            self.prove(order_id)
        if own or not (is_made(order_id) or self.is_proven(order_id)):
            return own
        return self._journal.client_order_id(order_id, "", row)

    def of_list(self, things):
        """For the rows of one whole list of orders."""
        bearers = {}
        for thing in things:
            own = self._journal.client_order_id("", rows.text(rows.of(thing, "order_remark")))
            if own:
                bearers.setdefault(own, set()).add(rows.order_number(rows.of(thing, "order_id")))
        return Listed(self, self._journal, bearers)

    def _numbers(self):
        session = self._session()
        of, numbers = self._proven
        if of != session:
            numbers = set()
            self._proven = (session, numbers)
        return numbers


class Listed(object):
    def __init__(self, bearers, journal, named):
        """`named`: numbers of rows by the id of ours that they bear."""
        self._bearers = bearers
        self._journal = journal
        self._named = named
        self._others = set()
        self.called = journal.called
        self.owner = journal.owner
        self.code = journal.codes.seen

    def client_order_id(self, order_id, remark, row=None):
        known = self._journal.numbered(order_id)
        if known and not self._bearers.is_proven(order_id) and is_of_one_exchange(row or {}, self._journal.asked(known)):
            is_named = self._journal.client_order_id("", remark) == known
            if not is_named and self._is_elsewhere(known, order_id, row):
                self._journal.lose(order_id)
                self._others.add(order_id)
            else:
                self._bearers.prove(order_id)
        return self._bearers.client_order_id(order_id, remark, row)

    def has_former_number(self, order_id):
        """Whether it was the number of an order of ours, which has another one now."""
        return order_id in self._others

    def _is_elsewhere(self, own, order_id, row):
        """Another row bears its id and none of this number does; or the counter numbers the two otherwise."""
        numbers = self._named.get(own, set())
        if numbers and order_id not in numbers:
            return True
        told, known = (row or {}).get("sysid"), self._journal.sysid_of(own)
        # Pushes and lists may write one number with zeros before it and without.
        return bool(told and known) and told.lstrip("0") != known.lstrip("0")
