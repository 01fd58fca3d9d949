"""Market data: one connection of the process to one terminal."""

import threading
import time

from ._line import Line

enable_hello = True
_line = None
_callbacks = {}
_next = [0]


def connect(ip="", port=None, remember_if_success=True):
    global _line
    if enable_hello:
        print("***** xtdata connected *****")
    _line = Line(int(port), _pushed, lambda: None)
    return _line


def reconnect(ip="", port=None, remember_if_success=True):
    return connect(ip, port)


def _ask(method, fields):
    if _line is None:
        raise Exception("no terminal: connect(port=...) first")
    return _line.ask(method, fields)


def _pushed(name, fields):
    if name == "storm":
        threading.Thread(target=_storm, args=(fields,), daemon=True).start()
        return
    for callback in list(_callbacks.values()):
        callback(fields)


def subscribe_whole_quote(code_list, callback=None):
    _next[0] += 1
    if callback is not None:
        _callbacks[_next[0]] = callback
    _ask("subscribe_quotes", {"codes": list(code_list)})
    return _next[0]


def unsubscribe_quote(seq):
    _callbacks.pop(seq, None)


def get_full_tick(code_list):
    return _ask("full_tick", {"codes": list(code_list)})


def get_instrument_detail(stock_code, iscomplete=False):
    return _ask("instrument", {"code": stock_code})


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
    fields = {"codes": list(stock_list), "period": period, "start": start_time, "end": end_time}
    found = _ask("history", fields)
    return {code: _Table(columns) for code, columns in found.items()}


def download_history_data2(stock_list, period, start_time="", end_time="", callback=None, incrementally=None):
    total = len(stock_list)
    for finished in range(total + 1):
        if callback is not None:
            callback({"finished": finished, "total": total, "stockcode": "", "message": ""})
    _ask("download", {"codes": list(stock_list), "period": period})


def _storm(fields):
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
            _pushed("tick", {code: [tick]})
        time.sleep(0.001)
