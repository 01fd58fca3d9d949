"""Quotes, names and history by the terminal's context: pushes, and a look at what is wanted."""

from clocks import steady_ms
from faults import CallError
from fields import as_number, as_text
from sectors import NO_SECTORS, codes_listed
from settings import limit
from ticks import Ticks, lot_of, stamp_of

PERIODS = {"60m": "1h"}
BASE_PERIODS = {"1m": "1m", "5m": "5m", "15m": "5m", "30m": "5m", "60m": "5m", "1d": "1d"}
BAR_FIELDS = ("time", "open", "high", "low", "close", "volume", "amount")
# Looks in a row that found what no push had told; then the terminal has forgotten the subscription.
BEHIND_MAX = 3
# Where subscribing anew brought no push they become twice as many, up to these: some terminals push nothing at all.
PATIENCE_MAX = 256


class Market(object):
    """`ring(take)` says that there is something; `take()` gives it when it can be sent."""

    def __init__(self, terminal, ring, log):
        self._terminal = terminal
        self._ring = ring
        self._log = log
        self._ticks = Ticks()
        self._wanted = []
        self._subscribed = {}
        self._behind = 0
        self._patience = BEHIND_MAX
        self._has_pushed = False  # since it was subscribed last
        self._renewals = 0
        self._renewed_ms = None
        self.methods = {
            "connect": self.connect,
            "want": self.want,
            "poll": self.poll,
            "instruments": self.instruments,
            "listed": self.listed,
            "history": self.history,
        }

    def connect(self, _wanted):
        self._full_tick()
        return {}

    def want(self, wanted):
        """Feeds these codes from now on; those it feeds already are told again."""
        codes = [as_text(code) for code in wanted["codes"]]
        wanted = self._wanted + sorted(set(codes).difference(self._wanted))
        if len(wanted) > limit("codes_max"):
            raise CallError("FAILED", "订阅的代码过多 (too many codes)")
        self._wanted = wanted
        self._subscribe([code for code in codes if code not in self._subscribed])
        self._look(codes, True)
        return {"wanted": len(self._wanted)}

    def poll(self, _wanted):
        """One look at everything that is wanted."""
        before = self._ticks.accepted
        count = self._look(self._wanted, False) if self._wanted else 0
        self._behind = self._behind + 1 if self._ticks.accepted > before else 0
        if self._behind >= self._patience:
            self._renew()
        return {
            "ticks": count,
            "accepted": self._ticks.accepted,
            "refusals": self._ticks.refusals,
            "refused": self._ticks.refused(),
            "renewals": self._renewals,
        }

    def _renew(self):
        """Less and less often where it does not help. Only what was pushed before can have been forgotten."""
        now_ms = steady_ms()
        if self._renewed_ms is not None and now_ms - self._renewed_ms < limit("renew_ms"):
            return
        self._behind = 0
        self._renewed_ms = now_ms
        self._patience = min(self._patience * 2, PATIENCE_MAX)
        self._renewals += 1 if self._has_pushed else 0
        self._has_pushed = False
        self.leave()
        self._subscribe(self._wanted)

    def begin_again(self):
        """After a new init: the terminal has forgotten what was subscribed."""
        self._subscribed = {}
        self._patience = BEHIND_MAX
        self._subscribe(self._wanted)

    def _full_tick(self):
        found = self._terminal.method("get_full_tick")
        if found is None:
            raise CallError("FAILED", "终端没有 get_full_tick (the terminal has no full tick)")
        return found

    def _subscribe(self, codes):
        """Where pushes are to be had; a look finds the rest."""
        subscribe = self._terminal.method("subscribe_whole_quote")
        if subscribe is None or not codes:
            return
        try:
            number = subscribe(list(codes), callback=self.pushed)
        except Exception as error:
            self._log("warning", "subscribe_whole_quote: %s: %s" % (type(error).__name__, error))
            return
        for code in codes:
            self._subscribed[code] = number

    def leave(self):
        """Gives subscriptions back: the terminal keeps a buffer for each."""
        unsubscribe = self._terminal.method("unsubscribe_quote")
        numbers = set(number for number in self._subscribed.values() if number is not None)
        self._subscribed = {}
        for number in numbers if unsubscribe is not None else ():
            try:
                unsubscribe(number)
            except Exception as error:
                self._log("info", "unsubscribe_quote: %s" % error)

    def _look(self, codes, is_asked):
        """With `is_asked` an unchanged quote is told too: whoever asks anew may not have it."""
        try:
            ticks = self._full_tick()(list(codes)) or {}
        except CallError:
            raise
        except Exception as error:
            raise CallError("FAILED", "行情查询失败：%s: %s" % (type(error).__name__, error))
        self._taken(ticks, is_asked)
        return len(ticks)

    def pushed(self, ticks):
        """On whatever thread the terminal likes. Takes and returns."""
        try:
            self._behind = 0
            self._patience = BEHIND_MAX
            self._has_pushed = True
            self._taken(ticks, False)
        except Exception as error:
            self._log("warning", "a push of quotes: %s: %s" % (type(error).__name__, error))

    def _taken(self, ticks, is_asked):
        """{code: tick} or {code: [tick, ...]}."""
        has_news = False
        for code, found in (ticks or {}).items():
            for tick in found if isinstance(found, (list, tuple)) else (found,):
                has_news = self._ticks.offer(as_text(code), tick, is_asked) or has_news
        if has_news:
            self._ring(self.take)

    def take(self):
        """What is new since the last call, the newest of each code."""
        message, has_more = self._ticks.take()
        if has_more:
            self._ring(self.take)
        return message

    def instruments(self, wanted):
        """What the terminal knows of codes for today; unknown ones are left out. One that is away knows nothing of them."""
        detail_of = self._terminal.method("get_instrument_detail", "get_instrumentdetail")
        if detail_of is None:
            raise CallError("UNSUPPORTED", "终端没有 get_instrument_detail (the terminal tells no instruments)")
        found, failed = {}, {}
        for code in wanted["codes"]:
            try:
                detail = detail_of(code)
                if detail:
                    found[code] = instrument_row(detail)
            except Exception as error:
                failed[code] = "%s: %s" % (type(error).__name__, error)
        if failed and len(failed) == len(wanted["codes"]):
            raise CallError("FAILED", "合约信息查询失败：%s" % next(iter(failed.values())))
        for code, text in failed.items():
            self._log("warning", "no details of %s: %s" % (code, text))
        return {"instruments": found}

    def listed(self, _wanted):
        """Codes of everything that can be traded here."""
        ask = self._terminal.method("get_stock_list_in_sector")
        if ask is None:
            raise CallError("UNSUPPORTED", "终端没有 get_stock_list_in_sector (the terminal tells no sectors)")
        codes = codes_listed(ask, self._log)
        if not codes:
            raise CallError("FAILED", NO_SECTORS)
        return {"codes": codes}

    # History

    def history(self, wanted):
        """Rows of [time ms, open, high, low, close, volume in shares, amount], oldest first."""
        code, period = wanted["code"], wanted["period"]
        if period not in BASE_PERIODS:
            raise CallError("BAD_REQUEST", "no period is called %r" % (period,))
        start, end = wanted.get("start", ""), wanted.get("end", "")
        self._download(code, period, start, end)
        method = self._terminal.method("get_market_data_ex")
        if method is None:
            raise CallError("FAILED", "终端没有 get_market_data_ex (the terminal has no history)")
        try:
            tables = method(list(BAR_FIELDS), [code], PERIODS.get(period, period), start, end, -1, "none", False)
            rows = table_rows((tables or {}).get(code), lot_of(code))
        except Exception as error:
            raise CallError("FAILED", "历史行情查询失败：%s: %s" % (type(error).__name__, error))
        if len(rows) > limit("history_bars_max"):
            raise CallError("TOO_MANY", "%d bars; at most %d in one answer" % (len(rows), limit("history_bars_max")))
        return {"rows": rows}

    def _download(self, code, period, start, end):
        """Where the terminal offers it. A failure shows in what is read afterwards."""
        for name in ("download_history_data", "down_history_data"):
            try:
                self._terminal.function(name)(code, BASE_PERIODS[period], start, end)
                return
            except CallError:
                continue
            except Exception as error:
                self._log("warning", "%s: %s: %s" % (name, type(error).__name__, error))
                return


def instrument_row(detail):
    """Of the dictionary that describes a code. 0: not known, and never a limit of nothing."""
    get = detail.get
    status, is_trading = get("InstrumentStatus"), get("IsTrading")
    return {
        "name": as_text(get("InstrumentName")).strip(),
        "up": as_number(get("UpStopPrice")),
        "down": as_number(get("DownStopPrice")),
        "pre_close": as_number(get("PreClose")),
        "tick": as_number(get("PriceTick")),
        "lot_min": int(as_number(get("MinLimitOrderVolume"))),
        "lot_max": int(as_number(get("MaxLimitOrderVolume"))),
        # Days of a suspension from 1 on; below, it trades.
        "status": None if status is None else int(as_number(status)),
        "is_trading": None if is_trading is None else bool(is_trading),
    }


def table_rows(table, lot):
    """Of a table with columns by name; its index holds the time where no column does."""
    if table is None or len(table) == 0:
        return []
    columns = [list(table[name]) for name in BAR_FIELDS[1:]]
    rows = []
    for at, when in enumerate(_times(table)):
        row = [float(bar_ms(when))] + [as_number(column[at]) for column in columns]
        row[5] *= lot
        if row[0] > 0:
            rows.append(row)
    return rows


def _times(table):
    try:
        return list(table["time"])
    except Exception:
        return list(table.index)


def bar_ms(when):
    """Epoch milliseconds or seconds, or text in the exchange's zone."""
    number = as_number(when)
    if number > 1e13:  # 20260811 or 20260811093000, as a number
        return stamp_of({"timetag": str(int(number))})[0]
    if number > 1e11:
        return number
    if number > 1e8:
        return number * 1000.0
    text = "".join(sign for sign in as_text(when) if sign.isdigit())
    return stamp_of({"timetag": (text + "000000")[:14]})[0] if len(text) >= 8 else 0.0
