"""Market data: one client of the process, which connects by itself and forgets its subscriptions then.

Which functions there are, and whether a new connection is a new object, is the manner of the release.
"""

import json
import os
import threading
import time

from . import _manner
from ._line import Line

enable_hello = True
_client = None
_last_port = None


class _Client(object):
    """As the native one: callbacks come on its reading thread, and are over with their connection."""

    def __init__(self, port):
        self._port = port
        self._line = None
        self._life = None
        self._lock = threading.Lock()
        self._callbacks = {}
        self._asked = {}

    def connect(self):
        """Whether it is connected now. What was subscribed is over, and nobody says so."""
        life = object()
        with self._lock:
            self._life = life
            self._callbacks = {}
        try:
            self._line = Line(int(self._port), self._pushed, lambda: self._closed(life))
        except (OSError, TypeError, ValueError):
            return False
        return True

    def is_connected(self):
        return self._line is not None

    def shutdown(self):
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def get_full_tick(self, codes):
        return json.dumps(self._ask("full_tick", {"codes": list(codes)}))

    def subscribe_whole_quote(self, codes, callback):
        callbacks = self._callbacks

        def subscribed(number):
            if isinstance(number, int) and callback is not None:
                callbacks[number] = callback

        return self._ask("subscribe_quotes", {"codes": list(codes)}, subscribed)

    def unsubscribe_quote(self, number):
        self._callbacks.pop(number, None)
        return self._ask("unsubscribe_quotes", {"number": number})

    def ask(self, method, fields):
        return self._ask(method, fields)

    def _ask(self, method, fields, first=None):
        """Waits for ever when the terminal does not answer, but not when it has gone."""
        done = threading.Event()
        found = []

        def answered(value):
            if first is not None:
                first(value)
            found.append(value)
            done.set()

        line = self._line
        with self._lock:
            self._asked[done] = True
        try:
            if line is None:
                raise OSError("gone")
            line.send(method, fields, answered)
            if self._line is line:
                done.wait()
        except OSError:
            pass
        with self._lock:
            self._asked.pop(done, None)
        if not found:
            raise Exception("行情服务连接断开")
        return found[0]

    def _closed(self, life):
        with self._lock:
            if self._life is not life:
                return
            self._line = None
            for done in self._asked:
                done.set()

    def _pushed(self, name, fields):
        if name == "storm":
            threading.Thread(target=self._storm, args=(fields,), daemon=True).start()
            return
        callback = self._callbacks.get(fields["seq"])
        if callback is not None:
            callback(fields["ticks"])

    def _storm(self, fields):
        """So many ticks a second for so many seconds, one push each, made here."""
        codes, per_second = fields["codes"], fields["per_second"]
        start = time.time()
        made = 0
        total = int(per_second * fields["seconds"])
        while made < total:
            due = min(total, int((time.time() - start) * per_second))
            while made < due:
                code = codes[made % len(codes)]
                price = 10 + (made % 97) / 100.0
                tick = {
                    "time": int(start * 1000) + made, "lastPrice": price, "open": 10.0, "high": 11.0,
                    "low": 9.9, "lastClose": 10.0, "volume": made, "amount": made * 1000.0,
                    "askPrice": [price] * 5, "bidPrice": [price] * 5, "askVol": [1] * 5, "bidVol": [1] * 5,
                }
                made += 1
                for callback in list(self._callbacks.values()):
                    callback({code: tick})
            time.sleep(0.001)


def _first_port(port):
    """Without a port the original looks for terminals of this computer, or into its own settings."""
    return port or os.environ.get("FAKE_XT_QUOTE_PORT")


def _hello():
    if enable_hello:
        print("***** xtdata connected *****")


if _manner.of.quote_client == "connect":

    def connect(ip="", port=None, remember_if_success=True):
        global _client, _last_port
        if _client is not None:
            if _client.is_connected():
                return _client
            _client.shutdown()
            _client = None
        found = _Client(_first_port(port))
        if not found.connect():
            raise Exception("无法连接xtquant服务，请检查QMT-投研版或QMT-极简版是否开启")
        _client = found
        if remember_if_success:
            _last_port = port
        _hello()
        return _client

    def reconnect(ip="", port=None, remember_if_success=True):
        global _client
        if _client is not None:
            _client.shutdown()
            _client = None
        return connect(ip, port, remember_if_success)

    def get_client():
        if _client is None or not _client.is_connected():
            return connect("", _last_port, False)
        return _client

else:

    def get_client():
        """The same object for ever; it connects anew when it has lost its terminal."""
        global _client
        if _client is None:
            _client = _Client(_first_port(None))
        if not _client.is_connected() and not _client.connect():
            raise Exception("无法连接行情服务！")
        return _client

    if _manner.of.quote_client == "reconnect":

        def reconnect(ip="localhost", port=None):
            global _client
            _client = None if port is None else _Client(port)
            get_client()


def subscribe_whole_quote(code_list, callback=None):
    return get_client().subscribe_whole_quote(code_list, callback)


def unsubscribe_quote(seq):
    return get_client().unsubscribe_quote(seq)


def get_full_tick(code_list):
    return json.loads(get_client().get_full_tick(code_list))


def get_instrument_detail(stock_code, iscomplete=False):
    return get_client().ask("instrument", {"code": stock_code})


def get_stock_list_in_sector(sector_name, real_timetag=-1):
    return get_client().ask("sector", {"name": sector_name})


class _Table(object):
    """As much of a table as callers use: columns by name."""

    def __init__(self, columns):
        self._columns = columns

    def __len__(self):
        return len(self._columns["time"])

    def __getitem__(self, name):
        return self._columns[name]


def get_market_data_ex(
    field_list=[], stock_list=[], period="1d", start_time="", end_time="", count=-1,
    dividend_type="none", fill_data=True
):
    import numpy  # noqa: F401
    import pandas  # noqa: F401

    fields = {"codes": list(stock_list), "period": period, "start": start_time, "end": end_time}
    found = get_client().ask("history", fields)
    return {code: _Table(columns) for code, columns in found.items()}


def download_history_data2(stock_list, period, start_time="", end_time="", callback=None, incrementally=None):
    total = len(stock_list)
    for finished in range(total + 1):
        if callback is not None:
            callback({"finished": finished, "total": total, "stockcode": "", "message": ""})
    get_client().ask("download", {"codes": list(stock_list), "period": period})
