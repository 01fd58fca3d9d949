"""Time three times over: the calendar, which people set; a steady clock; and how long this script was awake."""

import time

from ticks import timetag_ms

SHANGHAI_MS = 8 * 3600 * 1000
# What one tick may add at most: while the strategy thread stands, nothing is waited for.
AWAKE_STEP_MS = 1000


def wall_ms():
    """Epoch milliseconds."""
    return int(time.time() * 1000)


def wall_s():
    """For the journal, whose day is the exchange's."""
    return wall_ms() / 1000.0


def steady_ms():
    return time.monotonic() * 1000.0


def shanghai_ms(day, moment=""):
    """`20260811` and `09:30:05`, or both in one text, as epoch milliseconds; 0 when it is no time."""
    digits = "".join(sign for sign in day if sign.isdigit())
    moments = "".join(sign for sign in moment.split(".")[0] if sign.isdigit())
    if len(moments) >= 14:
        digits, moments = moments[:8], moments[8:14]
    digits, moments = (digits[:8], moments or digits[8:14])
    if len(digits) < 8:
        return 0
    if len(moments) == 5:
        moments = "0" + moments  # 93005
    # Not by strptime, which asks for the locale: the terminal may have set one whose name Python does not know.
    return int(timetag_ms(digits + (moments + "000000")[:6]))


def shanghai_hour(now_ms):
    return int((now_ms + SHANGHAI_MS) // 3600000 % 24)


class Awake(object):
    """Milliseconds in which the strategy thread served this script. A frozen terminal adds nothing."""

    def __init__(self):
        self.ms = 0.0
        self._last = None

    def tick(self, now_ms):
        if self._last is not None:
            self.ms += min(max(0.0, now_ms - self._last), AWAKE_STEP_MS)
        self._last = now_ms
