"""The trader: callbacks and answers on one thread, queries that wait for ever."""

import asyncio
import json
import os
import queue
import threading

from . import _faults, _manner, xttype
from ._line import Line

PUSHES = {
    "on_stock_order": xttype.XtOrder,
    "on_stock_trade": xttype.XtTrade,
    "on_stock_position": xttype.XtPosition,
    "on_stock_asset": xttype.XtAsset,
    "on_order_error": xttype.XtOrderError,
    "on_cancel_error": xttype.XtCancelError,
    "on_order_stock_async_response": xttype.XtOrderResponse,
    "on_cancel_order_stock_async_response": xttype.XtCancelOrderResponse,
    "on_account_status": xttype.XtAccountStatus,
}


class XtQuantTraderCallback(object):
    def on_connected(self):
        pass

    def on_disconnected(self):
        pass

    def on_account_status(self, status):
        pass

    def on_stock_asset(self, asset):
        pass

    def on_stock_order(self, order):
        pass

    def on_stock_trade(self, trade):
        pass

    def on_stock_position(self, position):
        pass

    def on_order_error(self, order_error):
        pass

    def on_cancel_error(self, cancel_error):
        pass

    def on_order_stock_async_response(self, response):
        pass

    def on_cancel_order_stock_async_response(self, response):
        pass

    def on_smt_appointment_async_response(self, response):
        pass


class _Executor(object):
    """One thread that does one thing after the other."""

    def __init__(self):
        self._things = queue.Queue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def submit(self, work, *args):
        self._things.put((work, args))

    def shutdown(self):
        self._things.put(None)
        self._thread.join()

    def _run(self):
        while True:
            thing = self._things.get()
            if thing is None:
                return
            work, args = thing
            work(*args)


class XtQuantTrader(object):
    def __init__(self, path, session, callback=None):
        if not isinstance(session, int):
            raise TypeError("session must be an int")
        if _manner.of.needs_loop:
            self.loop = asyncio.get_event_loop()
        self._path = path
        self._session = session
        self._callback = callback
        self._is_relaxed = False
        self._line = None
        self._pushes = None
        self._answers = None

    def set_relaxed_response_order_enabled(self, enabled):
        self._is_relaxed = enabled

    def register_callback(self, callback):
        self._callback = callback

    def start(self):
        self._pushes = _Executor()
        self._answers = _Executor() if self._is_relaxed else self._pushes
        for name in ("down_queue_win_%d", "lock_down_queue_win_%d", "down_queue_win_%d__mutex"):
            self._leave_behind(name % self._session)

    def _leave_behind(self, name):
        """Files of a session that nobody ever clears away; none where the folder is missing."""
        try:
            with open(os.path.join(self._path, name), "wb") as file:
                file.write(b"\0" * 1024)
        except OSError:
            pass

    def connect(self):
        print("xtquant: connecting")  # the original talks on standard output, too
        try:
            with open(os.path.join(self._path, "terminal.json"), encoding="utf-8") as file:
                port = json.load(file)["port"]
            self._line = Line(port, self._pushed, self._closed)
        except (OSError, ValueError):
            return -1
        return self._line.ask("connect", {"session": self._session, "pid": os.getpid()})

    def stop(self):
        if self._line is not None:
            self._line.close()
        self._pushes.shutdown()

    def _pushed(self, name, fields):
        method = getattr(self._callback, name)
        if name in PUSHES:
            self._pushes.submit(method, PUSHES[name](fields))
        else:
            self._pushes.submit(method)

    def _closed(self):
        self._pushes.submit(self._callback.on_disconnected)

    def _sync(self, method, fields):
        """The answer comes through the executor; nobody looks at the clock."""
        done = threading.Event()
        found = []

        def settle(value):
            found.append(value)
            done.set()

        self._line.send(method, fields, lambda value: self._answers.submit(settle, value))
        done.wait()
        return found[0]

    def subscribe(self, account):
        print("xtquant: subscribe %s" % account.account_id)
        return self._sync("subscribe", {"account_id": account.account_id})

    def unsubscribe(self, account):
        return self._sync("unsubscribe", {"account_id": account.account_id})

    def order_stock_async(
        self, account, stock_code, order_type, order_volume, price_type, price,
        strategy_name="", order_remark=""
    ):
        _faults.point("call:before")
        sequence = self._line.ask("order", {
            "stock_code": stock_code, "order_type": order_type, "order_volume": order_volume,
            "price_type": price_type, "price": price, "strategy_name": strategy_name,
            "order_remark": order_remark,
        })
        _faults.point("call:after")
        return sequence

    def cancel_order_stock(self, account, order_id):
        return self._sync("cancel", {"order_id": str(order_id)})

    def cancel_order_stock_sysid(self, account, market, sysid):
        return self._sync("cancel", {"market": market, "sysid": sysid})

    def query_account_status(self):
        found = self._sync("account_states", {})
        return None if found is None else [xttype.Native(fields) for fields in found]

    def query_stock_asset(self, account):
        found = self._sync("asset", {"account_id": account.account_id})
        return None if found is None else xttype.XtAsset(found)

    def query_stock_positions(self, account):
        return self._rows("positions", account, xttype.XtPosition)

    def query_stock_orders(self, account, cancelable_only=False):
        return self._rows("orders", account, xttype.XtOrder)

    def query_stock_trades(self, account):
        return self._rows("deals", account, xttype.XtTrade)

    def query_stock_order(self, account, order_id):
        for row in self.query_stock_orders(account) or []:
            if row.order_id == order_id:
                return row
        return None

    def _rows(self, what, account, kind):
        found = self._sync(what, {"account_id": account.account_id})
        return None if found is None else [kind(fields) for fields in found]


def _without_cancelable(self, account):
    return self._rows("orders", account, xttype.XtOrder)


if not _manner.of.has_relaxed_order:
    del XtQuantTrader.set_relaxed_response_order_enabled
if not _manner.of.has_sysid_cancel:
    del XtQuantTrader.cancel_order_stock_sysid
if not _manner.of.can_query_cancelable:
    XtQuantTrader.query_stock_orders = _without_cancelable
