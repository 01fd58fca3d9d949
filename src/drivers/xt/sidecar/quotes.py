"""Market data: subscribes what is wanted, tells the newest tick of each code.

A push and a regular look at the full tick feed the same table: some terminals push nothing, some
answer nothing without a subscription. Only ticks that are newer than the last one count.
"""

import struct
import threading
import time

import rows
from lanes import CallError

# time, last, open, high, low, last close, volume, amount, then five levels of bid price, ask price,
# bid volume and ask volume; little-endian doubles. Prices in yuan, volumes in shares.
TICK = struct.Struct("<28d")
LEVELS = 5
TICKS_IN_FRAME_MAX = 4096
FAILURES_MAX = 3
RECONNECT_S_MIN = 60.0
LOT_SHARES = 100
BOND_LOT = 10
BOND_PREFIXES = ("11", "12", "13", "204")


def lot_of(code):
    """Units in a lot: ticks count lots, everything else here counts shares."""
    return BOND_LOT if code.startswith(BOND_PREFIXES) else LOT_SHARES


def levels(values, scale=1):
    found = [rows.number(value) * scale for value in (values or ())[:LEVELS]]
    return found + [0.0] * (LEVELS - len(found))


def volume_of(tick, lot):
    """Shares, where the terminal gives them; else its lots."""
    exact = rows.number(tick.get("pvolume"))
    return exact if exact > 0 else rows.number(tick.get("volume")) * lot


def packed(code, tick):
    """A tick of the terminal in the layout above."""
    get = tick.get
    lot = lot_of(code)
    number = rows.number
    return TICK.pack(
        number(get("time")), number(get("lastPrice")), number(get("open")), number(get("high")),
        number(get("low")), number(get("lastClose")), volume_of(tick, lot), number(get("amount")),
        *levels(get("bidPrice")), *levels(get("askPrice")),
        *levels(get("bidVol"), lot), *levels(get("askVol"), lot)
    )


class Quotes:
    def __init__(self, port, ring, log):
        """`ring(take)` says that there is something; `take()` gives it when it can be sent."""
        self._port = port
        self._ring = ring
        self._log = log
        self._lock = threading.Lock()
        self._wanted = {}
        self._pending = {}
        self._last = {}
        self._failures = 0
        self._reconnected_at = 0.0
        self._xtdata = None

    # Calls

    def connect(self, _wanted):
        from xtquant import xtdata

        if self._xtdata is None:
            xtdata.enable_hello = False
            if self._port:
                xtdata.connect(port=self._port)
            self._xtdata = xtdata
        return {}

    def want(self, wanted):
        """Feeds these codes from now on; those it feeds already are told again."""
        xtdata = self._live()
        codes = wanted["codes"]
        new = [code for code in codes if code not in self._wanted]
        if new:
            self._subscribe(xtdata, new)
        self._look(xtdata, codes, is_asked=True)
        return {"wanted": len(self._wanted)}

    def poll(self, _wanted):
        """One look at everything that is wanted. Three failures in a row make a new connection."""
        xtdata = self._live()
        codes = list(self._wanted)
        if not codes:
            return {"ticks": 0}
        try:
            count = self._look(xtdata, codes)
            self._failures = 0
            return {"ticks": count}
        except Exception as error:
            self._failures += 1
            self._log("warning", "full tick failed (%d): %s" % (self._failures, error))
            if self._failures >= FAILURES_MAX:
                self._reconnect(xtdata)
            raise CallError("FAILED", "行情查询失败：%s" % error)

    def instruments(self, wanted):
        """Name and price limits of codes; unknown ones are left out."""
        xtdata = self._live()
        found = {}
        for code in wanted["codes"]:
            detail = xtdata.get_instrument_detail(code)
            if detail:
                found[code] = {
                    "name": rows.text(detail.get("InstrumentName")),
                    "up": rows.number(detail.get("UpStopPrice")),
                    "down": rows.number(detail.get("DownStopPrice")),
                    "pre_close": rows.number(detail.get("PreClose")),
                }
        return {"instruments": found}

    # Feed

    def _live(self):
        if self._xtdata is None:
            raise CallError("NOT_CONNECTED", "行情未连接 (not connected to the market data)")
        return self._xtdata

    def _subscribe(self, xtdata, codes):
        number = xtdata.subscribe_whole_quote(codes, callback=self._pushed)
        if number is None or int(number) < 0:
            raise CallError("FAILED", "行情订阅失败 (%s)" % number)
        for code in codes:
            self._wanted[code] = int(number)

    def _reconnect(self, xtdata):
        now = time.monotonic()
        if now - self._reconnected_at < RECONNECT_S_MIN and self._reconnected_at > 0:
            return
        self._reconnected_at = now
        self._failures = 0
        self._log("warning", "connecting to the market data anew")
        if self._port:
            xtdata.reconnect(port=self._port)
        else:
            xtdata.reconnect()
        self.leave()
        self._subscribe(xtdata, list(self._wanted))

    def leave(self):
        """Gives subscriptions back: the terminal keeps a buffer for each, however old."""
        xtdata = self._xtdata
        for number in sorted(set(self._wanted.values())) if xtdata is not None else ():
            try:
                xtdata.unsubscribe_quote(number)
            except Exception as error:
                self._log("info", "unsubscribe: %s" % error)

    def _look(self, xtdata, codes, is_asked=False):
        """With `is_asked` an unchanged quote is told too: whoever asks anew may not have it."""
        ticks = xtdata.get_full_tick(list(codes)) or {}
        self._pushed(ticks, is_asked)
        return len(ticks)

    def _pushed(self, ticks, is_asked=False):
        """On the callback thread: {code: tick} or {code: [tick, …]}. Takes and returns."""
        has_news = False
        for code, found in ticks.items():
            for tick in found if isinstance(found, (list, tuple)) else (found,):
                has_news = self._take(code, tick, is_asked) or has_news
        if has_news:
            self._ring(self.take)

    def _take(self, code, tick, is_asked):
        stamp = rows.number(tick.get("time"))
        last = self._last.get(code, 0.0)
        if stamp <= 0 or stamp < last or (stamp == last and not is_asked):
            return False
        data = packed(code, tick)
        with self._lock:
            self._last[code] = stamp
            self._pending[code] = data
        return True

    def take(self):
        """What is new since the last call, the newest of each code."""
        with self._lock:
            codes = list(self._pending)[:TICKS_IN_FRAME_MAX]
            data = b"".join([self._pending.pop(code) for code in codes])
            has_more = bool(self._pending)
        if has_more:
            self._ring(self.take)
        return {"t": "ticks", "c": codes, "d": data}
