"""Fills are written down once: a terminal tells all of the day again with each subscription."""

import collections

from fills import fill_key

KNOWN_MAX = 50000


class Once(object):
    def __init__(self, journal, tell, record):
        """`record(event)` numbers it and writes it down, `tell(event)` only passes it on."""
        self._tell = tell
        self._record = record
        self._known = collections.OrderedDict()
        for event in journal.after(0):
            if event["kind"] == "deal":
                self._know(event["row"])
                # The journal dates what bears no time, and told again it bears none.
                self._know(dict(event["row"], time=0))

    def record(self, event):
        """Passed on each time. What could not be written down is not known."""
        if event["kind"] != "deal":
            self._record(event)
        elif fill_key(event["row"]) in self._known:
            self._tell(event)
        else:
            self._record(event)
            self._know(event["row"])

    def _know(self, row):
        self._known[fill_key(row)] = True
        if len(self._known) > KNOWN_MAX:
            self._known.popitem(last=False)
