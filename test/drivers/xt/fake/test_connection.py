"""Tests of the sessions at a library that does not let go of what it is told to end."""

import os
import sys
import tempfile
import threading
import time
import unittest

import journal
import lanes
import left
import once
import trader
from sidecar_case import OWN, Thing, silent

WANTED = {"account_id": "1", "account_type": "STOCK", "path": ""}
ORDER = {
    "client_order_id": OWN, "code": "600036.SH", "order_type": 24, "quantity": 400, "price_type": 11,
    "price": 360000, "strategy": "grid",
}


class Library(object):
    """Traders that say nothing of their orders; `gates` by name hold up calls until they are set."""

    def __init__(self):
        self.made = []
        self.gates = {}
        self.begun = {}
        self.refused = ""
        self.owner = "1"

    def point(self, name):
        self.begun.setdefault(name, threading.Event()).set()
        gate = self.gates.get(name)
        if gate is not None:
            gate.wait(20)

    def trader(self, _path, _number):
        number = len(self.made) + 1

        def subscribe(_account):
            self.point("subscribe-%d" % number)
            return -1 if self.refused == "subscribe-%d" % number else 0

        def asset(_account):
            self.point("asset-%d" % number)
            return None if self.refused == "asset-%d" % number else Thing(account_id=self.owner, cash=1.0, frozen_cash=0.0)

        found = Thing(
            set_relaxed_response_order_enabled=lambda is_on: None, register_callback=lambda callback: None,
            start=lambda: None, connect=lambda: 0, subscribe=subscribe,
            query_stock_asset=asset,
            order_stock_async=lambda *given: 5, stop=lambda: self.point("stop-%d" % number),
        )
        self.made.append(found)
        return found


class ConnectionTest(unittest.TestCase):
    def setUp(self):
        self.library = Library()
        self.before = dict((name, sys.modules.get(name)) for name in ("xtquant.xttrader", "xtquant.xttype"))
        sys.modules["xtquant.xttrader"] = Thing(XtQuantTrader=self.library.trader, XtQuantTraderCallback=object)
        sys.modules["xtquant.xttype"] = Thing(StockAccount=lambda account_id, kind: Thing(account_id=account_id))
        folder = tempfile.mkdtemp()
        self.book = journal.Journal(os.path.join(folder, "journal"))
        self.trader = trader.Trader(self.book, lambda event: None, self.book.event, None, lambda: 0, silent)
        self.wanted = dict(WANTED, path=folder)

    def tearDown(self):
        for gate in self.library.gates.values():
            gate.set()
        for name, module in self.before.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module
        self.book.close()

    def gate(self, name):
        self.library.gates[name] = threading.Event()
        return self.library.gates[name]

    def waited_for(self, name):
        self.assertTrue(self.library.begun.setdefault(name, threading.Event()).wait(20), name)

    def until(self, is_so):
        end = time.monotonic() + 20
        while not is_so():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)

    def leave(self):
        """The first session is of no use any more, and the next one stands."""
        self.library.refused = "subscribe-1"
        self.trader.connect(self.wanted)
        self.waited_for("stop-1")

    def test_an_order_in_a_session_that_does_not_end_holds_the_barrier(self):
        self.trader.connect(self.wanted)
        self.trader.submit(ORDER)
        gate = self.gate("stop-1")
        self.leave()
        for _ in range(2):
            with self.assertRaises(lanes.CallError) as raised:
                self.trader.barrier({})
            self.assertEqual(raised.exception.code, "STANDS")
        later = time.monotonic() + 30
        watch = lanes.Watch([self.trader.left], 0, 20.0, lambda text: None, interval_s=60)
        self.assertRegex(watch._wedged(later), "standing", "and its process ends in the end")
        gate.set()
        self.until(lambda: not self.trader.left.stands(1))
        self.assertEqual(self.trader.answers(self.trader.barrier({})), {}, "what it held ended with it")
        self.assertEqual(watch._wedged(later), "")

    def test_the_asset_of_another_account_proves_nothing_of_ours(self):
        self.library.owner = "2"
        with self.assertRaises(lanes.CallError):
            self.trader.connect(self.wanted)
        self.waited_for("stop-1")
        self.library.owner = "1"
        self.assertTrue(self.trader.connect(self.wanted)["is_new"])
        self.library.owner = "2"
        with self.assertRaises(lanes.CallError):
            self.trader.query({"what": "asset"})

    def test_fills_of_an_earlier_process_are_told_again_and_not_written_down_again(self):
        row = {"deal_id": "7", "order_id": "1", "client_order_id": OWN, "code": "600036.SH", "order_type": 24}
        for event in ({"kind": "deal", "row": dict(row, time=5)}, {"kind": "deal", "row": dict(row, deal_id="8", time=0)},
                      {"kind": "order", "row": dict(row, deal_id="9", time=5)}):
            self.book.event(event)
        told, written = [], []
        fills = once.Once(self.book, told.append, written.append)
        for number, time_ms in (("7", 5), ("8", 0), ("9", 5), ("9", 5)):
            fills.record({"kind": "deal", "row": dict(row, deal_id=number, time=time_ms)})
        self.assertEqual([event["row"]["deal_id"] for event in told], ["7", "8", "9"])
        self.assertEqual([event["row"]["deal_id"] for event in written], ["9"])

    def test_sessions_that_do_not_end_count_as_calls_that_do_not_come_back(self):
        self.trader.connect(self.wanted)
        gate = self.gate("stop-1")
        self.leave()
        watch = lanes.Watch([self.trader.left], 0, 20.0, lambda text: None, interval_s=60)
        self.assertEqual(watch._wedged(time.monotonic()), "", "it has a while")
        was, left.STOP_S = left.STOP_S, 0.0
        try:
            self.assertRegex(watch._wedged(time.monotonic()), "never came back")
            gate.set()
            self.until(lambda: not self.trader.left.leaked)
        finally:
            left.STOP_S = was

    def late_connect(self, point):
        """An attempt that stands at this point of the first session when the next one takes over."""
        gate = self.gate(point)
        self.library.begun.pop(point, None)
        self.library.refused = point
        failed = []

        def late():
            try:
                self.trader.connect(self.wanted)
            except lanes.CallError as error:
                failed.append(error.code)

        thread = threading.Thread(target=late, daemon=True)
        thread.start()
        self.waited_for(point)
        self.trader._turn(1, "disconnected", None)
        self.assertEqual(self.trader.connect(self.wanted), {"session": 2, "is_new": True})
        gate.set()
        thread.join(20)
        self.assertEqual(failed, ["FAILED"])
        self.assertEqual(self.trader.connect(self.wanted), {"session": 2, "is_new": False})
        self.assertEqual(len(self.library.made), 2)

    def test_an_attempt_that_was_given_up_does_not_end_its_successor(self):
        self.trader.connect(self.wanted)
        self.late_connect("subscribe-1")

    def test_nor_does_one_that_was_given_up_while_it_proved_its_own_session(self):
        self.late_connect("asset-1")

    def test_a_disk_that_keeps_an_order_waiting_does_not_keep_the_watch(self):
        self.trader.connect(self.wanted)
        self.gate("stop-1")
        self.leave()
        gate, begun, looked = self.gate("disk"), threading.Event(), threading.Event()
        intend = self.book.intend
        self.book.intend = lambda own, wanted: begun.set() or gate.wait(20) and intend(own, wanted)
        order = threading.Thread(target=self.trader.submit, args=(ORDER,), daemon=True)
        order.start()
        self.assertTrue(begun.wait(20))
        watch = lanes.Watch([self.trader.left], 0, 20.0, lambda text: None, interval_s=60)
        look = lambda: watch._wedged(time.monotonic()) or looked.set()
        threading.Thread(target=look, daemon=True).start()
        self.assertTrue(looked.wait(20), "it answers the calls whose time is up")
        gate.set()
        order.join(20)
