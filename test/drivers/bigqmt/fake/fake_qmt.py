"""A full terminal around one script: python fake_qmt.py <script> <port of the books> <manners as JSON>.

As hostile as the original: one thread for init, timers and callbacks; functions that answer nothing on any
other; orders without an answer, whose row comes later and without a number; deals told again; a script that
is begun anew, in place or as a new copy, without being stopped.

Writes one line of JSON for each begin: the port on which the script serves. What a test wants comes as a push
with the name `qmt`.
"""

import codecs
import heapq
import json
import os
import queue
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "..", "xt", "fake", "xtquant"))

import faults  # noqa: E402
import rows  # noqa: E402
from _line import Line  # noqa: E402

MANNERS = {
    "account_id": "10000001",
    "account_type": "STOCK",
    "number_ms": 20,       # until an order that is listed gets its number
    "early_row": False,    # a row before the counter knows of the order
    "spelling": "timetag",
    "passorder": "",       # popup, error, error_inside, raise, raise_before
    "cancel_lies": False,
    "logged_in": True,
    "forgets_timers": True,
    "callbacks": True,
    "hour": 10,            # of the exchange's day in which this terminal lives
    "broken": {},          # fields that raise, by kind of object
}
OPERATIONS = {"STOCK": {23: 23, 24: 24}, "CREDIT": {33: 23, 34: 24, 23: 0, 24: 0}}


class Arguments(object):
    """What orderError_callback is given."""

    def __init__(self, order):
        self.opType = order["op_type"]
        self.orderType = 1101
        self.accountID = order["account_id"]
        self.orderCode = order["stock_code"]
        self.prType = order["price_type"]
        self.modelPrice = order["price"]
        self.modelVolume = order["order_volume"]
        self.strategyName = "%s_&&&_%s" % (order["strategy_name"], order["order_remark"])


class Context(object):
    """Rolled back by the original between bars: a script that keeps something here loses it."""

    def __init__(self, terminal):
        object.__setattr__(self, "_terminal", terminal)
        object.__setattr__(self, "do_back_test", False)

    def __setattr__(self, name, value):
        raise AttributeError("ContextInfo keeps nothing: %s" % name)

    def set_account(self, account_id):
        self._terminal.is_told = account_id == self._terminal.manners["account_id"]

    def run_time(self, name, period, start):
        count = int(period[:-len("nMilliSecond")])
        self._terminal.timers.append((name, count / 1000.0, self._terminal.namespace))
        self._terminal.later(count / 1000.0, lambda: self._terminal.ring(len(self._terminal.timers) - 1, self._terminal.life))

    def get_full_tick(self, codes):
        return self._terminal.full_tick(codes)

    def subscribe_whole_quote(self, codes, callback=None):
        return self._terminal.subscribe(codes, callback)

    def unsubscribe_quote(self, number):
        self._terminal.unsubscribe(number)

    def get_instrument_detail(self, code, iscomplete=False):
        return self._terminal.ask("instrument", {"code": code})

    def get_stock_list_in_sector(self, sector, real_timetag=-1):
        return self._terminal.ask("sector", {"name": sector})

    def get_market_data_ex(self, fields, codes, period, start, end, count, dividend_type, fill_data, subscribe=True):
        found = self._terminal.ask("history", {"codes": codes, "period": period, "start": start, "end": end})
        return dict((code, rows.Table(columns)) for code, columns in found.items())


class Terminal(object):
    def __init__(self, script, port, manners):
        self.manners = dict(MANNERS, **manners)
        self.namespace = None
        self.timers = []
        self.watchers = {}
        self.is_told = False
        self.life = 0
        self._script = script
        self._context = Context(self)
        self._strategy = threading.get_ident()
        self._work = queue.Queue()
        self._due = []
        self._count = 0
        self._numbered = {}   # when an order that was seen gets its number
        self._held = {}       # what waits for that
        self._waiting = {}    # orders that the counter does not know yet, by remark
        self._offset_ms = 0
        self.line = Line(port, self._pushed, lambda: os._exit(0))
        for row in self.line.ask("orders", {}):
            self._numbered[row["order_id"]] = 0.0

    # The one thread

    def run(self):
        self.begin(True)
        while True:
            wait_s = max(0.0, self._due[0][0] - time.monotonic()) if self._due else 1.0
            try:
                work = self._work.get(timeout=wait_s)
            except queue.Empty:
                work = None
            if work is not None:
                work()
            while self._due and self._due[0][0] <= time.monotonic():
                heapq.heappop(self._due)[2]()

    def later(self, seconds, work):
        self._count += 1
        heapq.heappush(self._due, (time.monotonic() + seconds, self._count, work))

    def ring(self, index, life):
        if self.manners["forgets_timers"] and life != self.life:
            return
        name, period, namespace = self.timers[index]
        namespace[name](self._context)
        self.later(period, lambda: self.ring(index, life))

    def begin(self, is_new_copy):
        self.life += 1
        self.is_told = False
        self.watchers.clear()
        if is_new_copy:
            self.namespace = self._load()
        self.namespace["init"](self._context)
        self.namespace["handlebar"](self._context)
        port = self.namespace["SCRIPT"].port
        sys.__stdout__.write(json.dumps({"ready": port, "pid": os.getpid()}) + "\n")
        sys.__stdout__.flush()
        if self.life == 1:
            self.line.ask("subscribe", {"account_id": self.manners["account_id"]})

    def _load(self):
        """As the original: the whole text into names of its own, beside the functions of the terminal."""
        with open(self._script, "rb") as file:
            data = file.read()
        if not data.startswith(b"#coding:gbk"):
            raise SystemExit("the first line must be #coding:gbk")
        namespace = {
            "__name__": "strategy",
            "account": self.manners["account_id"],
            "accountType": self.manners["account_type"],
            "passorder": self.pass_order,
            "cancel": self.cancel,
            "get_trade_detail_data": self.detail,
            "download_history_data": self._download,
        }
        exec(compile(codecs.decode(data, "gbk"), self._script, "exec"), namespace)
        faults.watch_journal(namespace)
        self._set_clock(namespace)
        return namespace

    def _set_clock(self, namespace):
        """Trading hours, whenever these tests run."""
        day_ms, shift_ms = 86400000, 8 * 3600000
        now_ms = int(time.time() * 1000)
        of_day_ms = (now_ms + shift_ms) % day_ms
        base_ms = self.manners["hour"] * 3600000 + 1800000 - of_day_ms
        namespace["wall_ms"] = lambda: int(time.time() * 1000) + base_ms + self._offset_ms

    @property
    def _is_here(self):
        return threading.get_ident() == self._strategy

    def ask(self, method, fields):
        return self.line.ask(method, fields)

    # Orders

    def pass_order(self, op, kind, account_id, code, price_type, price, volume, strategy, quick, remark, context):
        """Says nothing, whatever comes of it."""
        if not self._is_here or len(remark) >= 24 or quick != 2 or kind != 1101:
            return None
        faults.point("passorder:before")
        manner = self.manners["passorder"]
        side = OPERATIONS[self.manners["account_type"]].get(op, 0)
        row = {
            "account_id": account_id, "stock_code": code, "order_type": side, "op_type": op,
            "order_volume": volume, "price_type": price_type, "price": price, "strategy_name": strategy,
            "order_remark": remark,
        }
        if manner == "raise_before":
            raise RuntimeError("passorder failed")
        if manner in ("error", "error_inside"):
            self._refuse(row, manner == "error_inside")
        elif manner != "popup" and side and account_id == self.manners["account_id"]:
            self._hand_over(row)
        faults.point("passorder:after")
        if manner == "raise":
            raise RuntimeError("passorder failed after it had sent")
        return None

    def _hand_over(self, row):
        if self.manners["early_row"]:
            self._waiting[row["order_remark"]] = dict(
                row, order_status=48, traded_volume=0, traded_price=0.0, status_msg="",
                order_time=int(time.time()), order_id=""
            )
            self.later(0, lambda: self._call("order_callback", self._waiting_things()))
        self.line.send("order", row, lambda answer: None)

    def _refuse(self, row, is_inside):
        def refuse():
            self.namespace["orderError_callback"](self._context, Arguments(row), "[函数交易] 指定价 无效, 无法下单!")

        if is_inside:
            refuse()
        else:
            self.later(0, refuse)

    def cancel(self, number, account_id, account_type, context):
        if not self._is_here or account_type.upper() != self.manners["account_type"]:
            return False
        is_taken = self.ask("cancel", {"order_id": number}) == 0
        return is_taken or self.manners["cancel_lies"]

    # Lists

    def detail(self, account_id, account_type, what):
        """Empty, and no error, on another thread, without a login, or for another account."""
        is_own = account_id == self.manners["account_id"] and account_type.upper() == self.manners["account_type"]
        if not self._is_here or not self.manners["logged_in"] or not is_own:
            return []
        what = what.lower()
        if what == "account":
            found = self.ask("asset", {})
            return [] if found is None else self._things("account", [rows.account(found, account_id)])
        if what == "position":
            return self._things(what, [rows.position(row, account_id) for row in self.ask("positions", {})])
        if what == "deal":
            shown = [row for row in self.ask("deals", {}) if self._has_number(row["order_id"])]
            return self._things(what, [rows.deal(row, account_id) for row in shown])
        return self._things(what, [self._order(row) for row in self.ask("orders", {})]) + self._waiting_things()

    def _things(self, kind, fields):
        broken = tuple(self.manners["broken"].get(kind, ()))
        return [rows.Thing(found, broken) for found in fields]

    def _waiting_things(self):
        account_id = self.manners["account_id"]
        return self._things("order", [rows.order(row, account_id, "") for row in self._waiting.values()])

    def _order(self, row):
        self._waiting.pop(row["order_remark"], None)
        number = row["order_id"] if self._has_number(row["order_id"]) else ""
        return rows.order(row, self.manners["account_id"], number)

    def _has_number(self, order_id):
        now = time.monotonic()
        due = self._numbered.setdefault(order_id, now + self.manners["number_ms"] / 1000.0)
        return now >= due

    # Callbacks

    def _call(self, name, things):
        if self.is_told and self.manners["callbacks"]:
            for thing in things:
                self.namespace[name](self._context, thing)

    def _pushed(self, name, fields):
        self._work.put(lambda: self._turn(name, fields))

    def _turn(self, name, fields):
        if name == "qmt":
            self._obey(dict(fields))
        elif name == "on_stock_order":
            self._news(fields["order_id"], "order_callback", fields)
        elif name == "on_stock_trade":
            self._news(fields["order_id"], "deal_callback", fields)
        elif name == "tick":
            callback = self.watchers.get(fields["seq"])
            if callback is not None:
                spelling = self.manners["spelling"]
                callback(dict((code, rows.tick(found, spelling)) for code, found in fields["ticks"].items()))

    def _news(self, order_id, callback, fields):
        """Without a number at first: the rest follows when it has one."""
        held = self._held.setdefault(order_id, [])
        if self._has_number(order_id) and not held:
            return self._tell(callback, fields)
        if not held:
            if callback == "order_callback":
                self._tell(callback, fields)
            wait_s = max(0.0, self._numbered[order_id] - time.monotonic())
            self.later(wait_s, lambda: self._release(order_id))
        held.append((callback, fields))

    def _release(self, order_id):
        held = self._held.pop(order_id, [])
        for callback, fields in held:
            self._tell(callback, fields)

    def _tell(self, callback, fields):
        if callback == "order_callback":
            self._call(callback, self._things("order", [self._order(fields)]))
        else:
            self._call(callback, self._things("deal", [rows.deal(fields, self.manners["account_id"])]))

    # Quotes

    def full_tick(self, codes):
        found = self.ask("full_tick", {"codes": list(codes)}) if self._is_here else {}
        return dict((code, rows.tick(tick, self.manners["spelling"])) for code, tick in found.items())

    def subscribe(self, codes, callback):
        number = self.ask("subscribe_quotes", {"codes": list(codes)})
        self.watchers[number] = callback
        return number

    def unsubscribe(self, number):
        self.ask("unsubscribe_quotes", {"number": number})
        self.watchers.pop(number, None)

    def _download(self, code, period, start, end):
        self.ask("download", {"codes": [code], "period": period})

    # What a test wants

    def _obey(self, wanted):
        op, number = wanted.pop("op"), wanted.pop("number")
        if op == "manners":
            self.manners.update(wanted)
        elif op == "freeze":
            self._say(number)
            return time.sleep(wanted["ms"] / 1000.0)
        elif op == "clock":
            self._offset_ms = wanted["offset_ms"]
        elif op in ("init", "copy"):
            self.begin(op == "copy")
        elif op == "stop":
            self.namespace["stop"](self._context)
        elif op == "forget":
            self.watchers.clear()
        elif op == "subscribed":
            print("subscribed %d" % len(self.watchers))
        elif op == "repeat":
            for row in self.ask("deals", {}):
                self._tell("deal_callback", row)
        elif op == "elsewhere":
            threading.Thread(target=self._elsewhere, args=(wanted["name"], wanted["fields"])).start()
        self._say(number)

    def _say(self, number):
        print("done %d" % number)
        sys.stdout.flush()

    def _elsewhere(self, name, fields):
        """A callback on a thread of the terminal's own."""
        self._call(name, self._things("order", [rows.order(fields, self.manners["account_id"], fields["order_id"])]))


if __name__ == "__main__":
    given = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
    Terminal(sys.argv[1], int(sys.argv[2]), given).run()
