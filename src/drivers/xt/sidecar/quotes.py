"""Market data: subscribes what is wanted, tells the newest tick of each code.

A push and a regular look at the full tick feed the same table: some terminals push nothing, some
answer nothing without a subscription. Only ticks that are newer than the last one count.
"""

import time

import rows
import sectors
from lanes import CallError
from subscriptions import Subscriptions
from ticks import Ticks

FAILURES_MAX = 3
RECONNECT_S_MIN = 60.0


def open_at(xtdata, port, log):
    """Chooses the terminal by its port; releases before 2024 lack the function, or both."""
    xtdata.enable_hello = False
    if not port:
        return
    choose = getattr(xtdata, "connect", None) or getattr(xtdata, "reconnect", None)
    if choose is None:
        log("warning", "this xtquant knows one terminal only: the quote port %d is not used" % port)
    else:
        choose(port=port)


def client_of(xtdata):
    """The library's own client, connected now; None where a release does not show it."""
    get_client = getattr(xtdata, "get_client", None)
    return get_client() if get_client is not None else None


def is_connected(client):
    try:
        return bool(client.is_connected())
    except Exception:  # an object that cannot say so
        return True


def told(error):
    """In our words: who asks again and again decides how often that is said."""
    return error if isinstance(error, CallError) else CallError("FAILED", "行情订阅失败：%s" % error)


class Quotes:
    def __init__(self, port, ring, later, limits, log):
        """`ring(take)` says that there is something; `take()` gives it when it can be sent.

        `later(work)` has something done on the lane of the subscriptions; False when it is full.
        """
        self._port = port
        self._ring = ring
        self._later = later
        self._log = log
        self._ticks = Ticks()
        self._subscriptions = Subscriptions(
            limits.get("quotes_behind_max", 3),
            limits.get("quotes_patience_max", 256),
            limits.get("resubscribe_min_ms", 10000) / 1000.0,
        )
        self._turn = 0
        self._failures = 0
        self._in_row = 0
        self._reconnected_at = 0.0
        self._xtdata = None

    # Calls

    def connect(self, _wanted):
        from xtquant import xtdata

        if self._xtdata is None:
            open_at(xtdata, self._port, self._log)
            self._xtdata = xtdata
        return {}

    def want(self, wanted):
        """Feeds these codes from now on; those it feeds already are told again."""
        xtdata = self._live()
        codes = wanted["codes"]
        self._subscriptions.want(codes)
        failed = None
        try:
            self._subscribe_missing(xtdata)
        except Exception as error:
            failed = error
        try:
            # After the subscription: some terminals answer for nothing else.
            self._look(xtdata, codes, is_asked=True)
        except Exception as error:
            failed = failed or error
        if failed is not None:
            raise told(failed)
        return {"wanted": len(self._subscriptions.wanted)}

    def poll(self, _wanted):
        """One look at everything that is wanted. Three failures in a row make a new connection."""
        xtdata = self._live()
        codes = self._subscriptions.wanted
        count = 0
        if codes:
            self._check_connection()
            try:
                count = self._look(xtdata, codes, is_poll=True)
            except Exception as error:
                self._failed(error)
                raise CallError("FAILED", "行情查询失败：%s" % error)
            self._failures = 0
            self._in_row = 0
            self._check_client(xtdata)
            if self._subscriptions.is_due(time.monotonic()):
                self._later(self._renew)
            elif self._subscriptions.missing:
                self._later(self._complete)
        return {
            "ticks": count,
            "accepted": self._ticks.accepted,
            "refusals": self._ticks.refusals,
            "refused": self._ticks.refused(),
            "renewals": self._subscriptions.renewals,
        }

    def instruments(self, wanted):
        """What the terminal knows of codes for today; unknown ones are left out. One that is away knows nothing of them."""
        xtdata = self._live()
        ask = getattr(xtdata, "get_instrument_detail", None)
        if ask is None:
            raise CallError("UNSUPPORTED", "此版本 xtquant 没有合约信息 (no instrument details)")
        found, failed = {}, {}
        for code in wanted["codes"]:
            try:
                detail = ask(code)
            except Exception as error:
                failed[code] = error
                continue
            if detail:
                found[code] = rows.instrument(detail)
        if failed and len(failed) == len(wanted["codes"]):
            raise CallError("FAILED", "合约信息查询失败：%s" % next(iter(failed.values())))
        for code, error in failed.items():
            self._log("warning", "no details of %s: %s" % (code, error))
        return {"instruments": found}

    def listed(self, _wanted):
        """Codes of everything that can be traded here."""
        xtdata = self._live()
        ask = getattr(xtdata, "get_stock_list_in_sector", None)
        if ask is None:
            raise CallError("UNSUPPORTED", "此版本 xtquant 没有板块列表 (no lists of sectors)")
        codes = sectors.codes_listed(ask, self._log)
        if not codes:
            raise CallError("FAILED", sectors.NO_SECTORS)
        return {"codes": codes}

    # Subscriptions: on their own lane, one after the other; a call that hangs holds up no look

    def _live(self):
        if self._xtdata is None:
            raise CallError("NOT_CONNECTED", "行情未连接 (not connected to the market data)")
        return self._xtdata

    def _check_connection(self):
        """Before a look, which connects anew: whether the connection of the subscriptions is gone."""
        client = self._subscriptions.client
        if client is not None and not is_connected(client):
            self._lost("its connection is gone")

    def _check_client(self, xtdata):
        client = client_of(xtdata)
        known = self._subscriptions.client
        if known is not None and client is not known:
            self._lost("the library has connected anew")
        return client

    def _lost(self, why):
        self._log("warning", "the subscriptions are lost: %s" % why)
        self._subscriptions.lost()

    def _renew(self):
        """Gives back what stands and subscribes it again."""
        xtdata = self._live()
        self._check_connection()
        client = self._check_client(xtdata)
        numbers, codes = self._subscriptions.begin_anew()
        if not codes:  # lost meanwhile
            return
        self._log("info", "subscribing anew: %d codes" % len(codes))
        self._give_back(xtdata, numbers)
        self._subscribe(xtdata, client, codes)
        self._look(xtdata, codes)

    def _complete(self):
        """Subscribes what is missing. It may be refused again and again, and what stands is kept."""
        xtdata = self._live()
        codes = self._subscriptions.missing
        if not codes:  # asked for anew meanwhile
            return
        try:
            self._subscribe_missing(xtdata)
        except Exception as error:
            raise told(error)
        self._log("info", "subscribed anew: %d codes" % len(codes))
        self._look(xtdata, codes)

    def _subscribe_missing(self, xtdata):
        self._check_connection()
        client = self._check_client(xtdata)
        codes = self._subscriptions.missing
        if codes:
            self._subscribe(xtdata, client, codes)

    def _subscribe(self, xtdata, client, codes):
        self._turn += 1
        turn = self._turn
        number = xtdata.subscribe_whole_quote(codes, callback=self._pushed)
        if number is None or int(number) < 0:
            raise CallError("FAILED", "行情订阅失败 (%s)" % number)
        if turn != self._turn:  # given up as too slow, and done by another since
            self._give_back(xtdata, [int(number)])
            return
        self._subscriptions.subscribed(client, int(number), codes)

    def _give_back(self, xtdata, numbers):
        """The terminal keeps a buffer for each subscription, however old."""
        for number in numbers:
            try:
                xtdata.unsubscribe_quote(number)
            except Exception as error:
                self._log("info", "unsubscribe: %s" % error)

    def leave(self):
        if self._xtdata is not None:
            self._give_back(self._xtdata, self._subscriptions.numbers)

    def _failed(self, error):
        self._failures += 1
        self._in_row += 1
        if self._in_row & (self._in_row - 1) == 0:  # the first, second, fourth …: a night has thousands
            self._log("warning", "full tick failed (%d): %s" % (self._in_row, error))
        now = time.monotonic()
        is_recent = 0 < self._reconnected_at and now - self._reconnected_at < RECONNECT_S_MIN
        if self._failures >= FAILURES_MAX and not is_recent:
            self._reconnected_at = now
            self._failures = 0
            self._later(self._reconnect)

    def _reconnect(self):
        """A library that does not see for itself that its connection is of no use."""
        xtdata = self._live()
        reconnect = getattr(xtdata, "reconnect", None)
        if reconnect is None:
            return
        self._log("warning", "connecting to the market data anew")
        self._subscriptions.lost()
        if self._port:
            reconnect(port=self._port)
        else:
            reconnect()
        self._subscribe_missing(xtdata)

    # Feed

    def _look(self, xtdata, codes, is_asked=False, is_poll=False):
        """With `is_asked` an unchanged quote is told too: whoever asks anew may not have it."""
        ticks = xtdata.get_full_tick(list(codes)) or {}
        has_news = False
        for code, tick in ticks.items():
            if self._ticks.offer(code, tick, is_asked):
                has_news = True
                if is_poll:
                    self._subscriptions.polled(code)
        if has_news:
            self._ring(self.take)
        return len(ticks)

    def _pushed(self, ticks):
        """On the callback thread: {code: tick} or {code: [tick, …]}. Takes and returns."""
        has_news = False
        for code, found in ticks.items():
            self._subscriptions.pushed(code)
            for tick in found if isinstance(found, (list, tuple)) else (found,):
                has_news = self._ticks.offer(code, tick) or has_news
        if has_news:
            self._ring(self.take)

    def take(self):
        """What is new since the last call, the newest of each code."""
        message, has_more = self._ticks.take()
        if has_more:
            self._ring(self.take)
        return message
