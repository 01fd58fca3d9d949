"""Refusals that come without a reason: it follows as an error of its own, or never."""

import time

UNEXPLAINED = "交易客户端拒绝委托 (refused by the trading client, which gave no reason)"


class Refusals(object):
    """Whoever uses it holds a lock of its own."""

    def __init__(self, wait_s, now=time.monotonic):
        self._wait_s = wait_s
        self._now = now
        self._waiting = {}

    def wait(self, own, request):
        """From now on the reason is waited for; `request` may be what names it."""
        self._waiting[own] = (self._now() + self._wait_s, request)

    def is_waiting(self, own):
        return own in self._waiting

    def end(self, own):
        """Told, or no refusal any more. Whether it was waited for."""
        return self._waiting.pop(own, None) is not None

    def behind(self, request):
        """The order of this request, if its reason is waited for; else empty."""
        for own, (_due, number) in self._waiting.items():
            if number == request:
                return own
        return ""

    def due(self):
        """Those for which no reason has come in time."""
        now = self._now()
        return [own for own, (due, _request) in self._waiting.items() if now >= due]

    def wait_s(self):
        """How long until the next is due; None when none is."""
        dues = [due for due, _request in self._waiting.values()]
        return max(0.0, min(dues) - self._now()) if dues else None
