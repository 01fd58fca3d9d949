"""Sessions that were given up, until the library has let go of them. They are watched as a lane is (see lanes.py).

stop() may never come back, and what the library holds for such a session may still reach the terminal.
"""

import threading
import time

from lanes import ORDER_CALL

# A session that takes longer to end counts as a call that does not come back.
STOP_S = 10.0


class Left(object):
    def __init__(self, has_orders):
        """`has_orders(session)`: whether orders were given to it of which nothing was heard."""
        self._has_orders = has_orders
        self._lock = threading.Lock()
        self._standing = {}
        self._stopping = {}

    def begin(self, session):
        with self._lock:
            self._standing[session] = self._stopping[session] = time.monotonic()

    def came_back(self, session, has_ended):
        """stop() has; one that failed has ended nothing."""
        with self._lock:
            self._stopping.pop(session, None)
            if has_ended:
                self._standing.pop(session, None)

    def stands(self, session):
        with self._lock:
            return session in self._standing

    def give_up_late(self, _now):
        """All of them are given up already."""

    @property
    def leaked(self):
        latest = time.monotonic() - STOP_S
        with self._lock:
            return sum(since <= latest for since in self._stopping.values())

    def standing_s(self, name, now):
        """For how long orders have been in sessions that were given up."""
        with self._lock:
            standing = list(self._standing.items())
        if name != ORDER_CALL:
            return 0.0
        return max([now - since for session, since in standing if self._has_orders(session)], default=0.0)
