"""Ticks of the terminal: which of them count, and why the others do not.

The newest tick of each code is kept until somebody takes it. Only what is newer than the last one
counts; what has no time that can be read is refused, and remembered with the reason.
"""

import datetime
import re
import struct
import threading
import time

# time, last, open, high, low, last close, volume, amount, then five levels of bid price, ask price,
# bid volume and ask volume; little-endian doubles. Prices in yuan, volumes in shares.
TICK = struct.Struct("<28d")
LEVELS = 5
TICKS_IN_FRAME_MAX = 4096
LOT_SHARES = 100
BOND_LOT = 10
BOND_PREFIXES = ("11", "12", "13", "204")
# Codes whose refused ticks are told at once, and how much is shown of what could not be read.
REFUSED_TOLD_MAX = 64
SAMPLE_CHARS_MAX = 40
# A time below it is one in seconds, and from the other on it is a day and an hour in digits.
SECONDS_MAX, DIGITS_MIN = 1e11, 1e13
# A tick further ahead of this computer's clock than that keeps no other out.
AHEAD_MS_MAX = 60000

# Shanghai has had one offset for as long as there are terminals.
SHANGHAI = datetime.timezone(datetime.timedelta(hours=8))
# 20231026 09:30:00, also with .950 or :950 behind; some write it without blank and colons.
TIMETAG = re.compile(
    r"(\d{4})(\d\d)(\d\d)(?: (\d\d):(\d\d):(\d\d)|(\d\d)(\d\d)(\d\d))"
    r"(?:(\.\d{1,3})|:(\d{1,3})|(\d{3}))?$"
)


def lot_of(code):
    """Units in a lot: ticks count lots, everything else here counts shares."""
    return BOND_LOT if code.startswith(BOND_PREFIXES) else LOT_SHARES


def plain(value):
    """A float, 0 when it is none. NaN and infinity are none."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return found if abs(found) < 1e300 else 0.0


def timetag_ms(text):
    """Epoch ms of the exchange's wall clock written as text; 0 when it is none."""
    found = TIMETAG.match(text.strip())
    if found is None:
        return 0.0
    parts = found.groups()
    numbers = [int(part) for part in parts[:3] + (parts[3:6] if parts[3] else parts[6:9])]
    try:
        whole = datetime.datetime(*numbers, tzinfo=SHANGHAI).timestamp()
    except ValueError:
        return 0.0
    part_ms = float(parts[9]) * 1000 if parts[9] else float(parts[10] or parts[11] or 0)
    return whole * 1000 + part_ms


def stamp_of(tick):
    """(epoch ms, "") of a tick, or (0, why it has none)."""
    if not hasattr(tick, "get"):
        return 0.0, "not a tick: %s" % type(tick).__name__
    written = tick.get("time")
    stamp = plain(written)
    if stamp >= DIGITS_MIN:
        stamp = timetag_ms(str(written))
    if stamp > 0:
        return stamp if stamp > SECONDS_MAX else stamp * 1000.0, ""
    tag = tick.get("timetag") or tick.get("stime")
    if tag is None or tag == "":
        return 0.0, "no time in %s" % repr(written)[:SAMPLE_CHARS_MAX] if plain(written) else "no time"
    text = tag.decode("ascii", "replace") if isinstance(tag, bytes) else str(tag)
    stamp = timetag_ms(text)
    if stamp > 0:
        return stamp, ""
    return 0.0, "no time in %r" % text[:SAMPLE_CHARS_MAX]


def levels(values, scale=1):
    # A table of numbers says neither yes nor no when it is asked whether it is there.
    found = [plain(value) * scale for value in (() if values is None else values)[:LEVELS]]
    return found + [0.0] * (LEVELS - len(found))


def volume_of(tick, lot):
    """Shares, where the terminal gives them; else its lots."""
    exact = plain(tick.get("pvolume"))
    return exact if exact > 0 else plain(tick.get("volume")) * lot


def packed(code, tick, stamp):
    """A tick of the terminal in the layout above."""
    get = tick.get
    lot = lot_of(code)
    number = plain
    return TICK.pack(
        stamp, number(get("lastPrice")), number(get("open")), number(get("high")),
        number(get("low")), number(get("lastClose")), volume_of(tick, lot), number(get("amount")),
        *levels(get("bidPrice")), *levels(get("askPrice")),
        *levels(get("bidVol"), lot), *levels(get("askVol"), lot)
    )


class Ticks:
    """The newest tick of each code. Its calls only take and return: one of them is the callback.

    Exchanges test their systems on weekends with quotes of a day to come, and this process lives on for weeks: a
    time that cannot have come yet says nothing of what is newer, or no tick would count until it has. `now` is
    this computer's clock, in seconds.
    """

    def __init__(self, now=time.time):
        self._now = now
        self._lock = threading.Lock()
        self._pending = {}
        self._last = {}
        self._volumes = {}
        self._refused = {}
        self.accepted = 0
        self.refusals = 0

    def offer(self, code, tick, is_asked=False):
        """True when it is news: newer than the last, or as new and `is_asked` for or with more traded."""
        stamp, why = stamp_of(tick)
        data = b""
        if not why:
            try:
                data = packed(code, tick, stamp)
            except Exception as error:  # whatever a terminal puts into a field
                why = "cannot be read: %s" % type(error).__name__
        with self._lock:
            if why:
                self._refuse(code, why)
                return False
            self._refused.pop(code, None)
            last = self._last.get(code, 0.0)
            volume = plain(tick.get("volume"))
            if stamp < last <= self._now() * 1000.0 + AHEAD_MS_MAX:
                return False
            # Text may date two ticks by one second; what was traded between them tells them apart.
            if stamp == last and not is_asked and volume <= self._volumes.get(code, 0.0):
                return False
            self._volumes[code] = volume
            self.accepted += 1
            self._last[code] = stamp
            self._pending[code] = data
        return True

    def _refuse(self, code, why):
        self.refusals += 1
        if code in self._refused or len(self._refused) < REFUSED_TOLD_MAX:
            self._refused[code] = why

    def refused(self):
        """Codes whose last tick was refused, and why."""
        with self._lock:
            return dict(self._refused)

    def take(self):
        """What is new since the last call, the newest of each code; and whether there is more."""
        with self._lock:
            codes = list(self._pending)[:TICKS_IN_FRAME_MAX]
            data = b"".join([self._pending.pop(code) for code in codes])
            return {"t": "ticks", "c": codes, "d": data}, bool(self._pending)
