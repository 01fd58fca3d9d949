"""Lists of the trading client as rows, with what cannot be read named beside them."""

import rows
from lanes import CallError

# Rows of one list that are named; the others are counted.
TOLD_MAX = 20


class Lists(object):
    def __init__(self, connection, log):
        self._connection = connection
        self._log = log
        self._left_out = {}

    def of(self, kind, found, row_of):
        """An empty list is what a disconnected client answers too: an asset must answer beside it.

        From a list with a row left out nobody may conclude that something is not there.
        """
        if found is None:
            raise CallError("FAILED", "查询无应答 (the trading client gave no list)")
        told, left_out = [], []
        for thing in found:
            try:
                if rows.is_of(self._connection.account_id, thing):
                    told.append(row_of(thing))
            except rows.Unreadable as error:
                left_out.append("%s: %s" % (rows.told(kind, thing), error))
            except Exception as error:  # whatever a build puts into a field
                left_out.append("%s: %s: %s" % (rows.told(kind, thing), type(error).__name__, error))
        if not told:
            self._connection.asset()
        self._say(kind, left_out)
        more = len(left_out) - TOLD_MAX
        shown = left_out[:TOLD_MAX] + (["... %d more" % more] if more > 0 else [])
        return {"rows": told, "left_out": shown}

    def _say(self, kind, left_out):
        """Once, until others are left out."""
        if self._left_out.get(kind, []) == left_out:
            return
        self._left_out[kind] = left_out
        for text in left_out[:TOLD_MAX]:
            self._log("error", "left out, cannot be read: %s" % text)
        self._log("info", "rows of %ss that cannot be read: %d" % (kind, len(left_out)))
