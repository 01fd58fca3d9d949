"""Tests of the parts of the sidecar that need no other process: python test_sidecar.py <its folder>."""

import os
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))

import history  # noqa: E402
import journal  # noqa: E402
import lanes  # noqa: E402
import library  # noqa: E402
import names  # noqa: E402
import quotes  # noqa: E402
import refusals  # noqa: E402
import rows  # noqa: E402
import sessions  # noqa: E402
import subscriptions  # noqa: E402
import ticks  # noqa: E402
import wire  # noqa: E402

OWN = "0VP0TKE69TAHYMPHYR3JQDAC7T"
DAY_S = 86400


def silent(_level, _text):
    pass


class Thing(object):
    def __init__(self, **fields):
        self.__dict__.update(fields)


class WireTest(unittest.TestCase):
    def test_what_goes_out_comes_back(self):
        for value in (
            None, True, False, 0, 127, 128, 65536, 2**32 - 1, -1, -32, -33, -2**31, 1.5, "", "招商银行",
            "x" * 40, "x" * 300, "x" * 70000, b"", b"\x00" * 300, [], list(range(20)), {},
            {"a": [1, {"b": None}]}, dict((str(i), i) for i in range(20)), list(range(70000)),
        ):
            self.assertEqual(wire.unpack(wire.pack(value)), value)

    def test_whole_numbers_beyond_32_bits_travel_as_doubles(self):
        self.assertEqual(wire.unpack(wire.pack(1754875800000)), 1754875800000.0)

    def test_cut_off_or_foreign_bytes_are_refused(self):
        whole = wire.pack({"a": [1, "two", 3.0, None]})
        for size in range(len(whole)):
            with self.assertRaises(wire.WireError):
                wire.unpack(whole[:size])
        for bad in (b"\xc1", b"\xa1\xff", whole + b"\x00", b"\x91" * 40 + b"\x00", b"\x81\x90\x00"):
            with self.assertRaises(wire.WireError):
                wire.unpack(bad)
        with self.assertRaises(wire.WireError):
            wire.pack(object())


class JournalTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.now = 1754875800.0
        self.book = None

    def open(self):
        if self.book is not None:
            self.book._file.close()
            self.book._hold.close()
        self.book = journal.Journal(self.folder, lambda: self.now)
        return self.book

    def test_an_order_is_remembered_with_what_became_of_it(self):
        book = self.open()
        self.assertIsNone(book.order(OWN))
        book.intend(OWN, {"code": "600036.SH"})
        self.assertEqual(book.order(OWN)["state"], "unknown")
        book.placed(OWN, "7")
        book = self.open()
        self.assertEqual(book.order(OWN), {"state": "accepted", "order_id": "7", "text": ""})
        self.assertEqual(book.client_order_id("7", ""), OWN)

    def test_a_remark_names_the_order_though_it_was_cut(self):
        book = self.open()
        book.intend(OWN, {})
        key = journal.remark_key(OWN)
        self.assertLessEqual(len(key), 20)
        for remark in (key, key[:12], OWN, " %s " % key):
            self.assertEqual(book.client_order_id("", remark), OWN, remark)
        for remark in ("", None, key[:11], "by hand", "0" * 20):
            self.assertEqual(book.client_order_id("", remark), "", remark)

    def test_a_half_written_line_is_left_out_and_the_rest_counts_on(self):
        book = self.open()
        book.event({"kind": "deal", "row": {}})
        with open(book._path(book._day), "ab") as file:
            file.write(b'{"event":{"kind":"deal","ro')
        book = self.open()
        self.assertEqual(book.event({"kind": "deal", "row": {}})["seq"], 2)
        book = self.open()
        self.assertEqual([event["seq"] for event in book.after(0)], [1, 2])
        self.assertEqual([event["seq"] for event in book.after(1)], [2])

    def test_numbers_go_on_over_days_and_order_numbers_do_not(self):
        book = self.open()
        book.intend(OWN, {})
        book.placed(OWN, "7")
        book.event({"kind": "deal", "row": {}})
        self.now += DAY_S
        self.assertEqual(book.client_order_id("7", ""), "", "also before anything is written on that day")
        self.assertEqual(book.event({"kind": "deal", "row": {}})["seq"], 2)
        for again in (book, self.open()):
            self.assertEqual(again.client_order_id("7", ""), "", "another day, another order 7")
            self.assertEqual(again.order(OWN)["state"], "accepted", "and the order stays known")
            self.assertEqual(len(again.after(0)), 2)
        self.now += DAY_S
        self.book.event({"kind": "deal", "row": {}})
        self.assertIsNone(self.book.order(OWN), "an order ends with its day, and the next forgets it")
        self.assertEqual(self.book.client_order_id("", journal.remark_key(OWN)), "")
        for _ in range(journal.DAYS_KEPT + 2):
            self.now += DAY_S
            self.book.event({"kind": "deal", "row": {}})
        self.open()
        self.assertLessEqual(len(self.book._days()), journal.DAYS_KEPT + 1)

    def test_open_orders_are_those_of_today_that_have_not_ended(self):
        book = self.open()
        book.event({"kind": "order", "row": {"order_id": "7", "status": 50}})
        self.assertTrue(book.has_open_orders)
        book.event({"kind": "order", "row": {"order_id": "7", "status": 56}})
        self.assertFalse(book.has_open_orders)
        book.event({"kind": "order", "row": {"order_id": "8", "status": 50}})
        self.now += DAY_S
        book.event({"kind": "deal", "row": {}})
        self.assertFalse(book.has_open_orders)

    def test_one_process_holds_the_folder(self):
        self.open()
        with self.assertRaises(journal.JournalHeld):
            journal.Journal(self.folder)


class LaneTest(unittest.TestCase):
    def settled(self):
        found = []
        event = threading.Event()

        def settle(ok, result):
            found.append((ok, getattr(result, "code", result)))
            event.set()

        return found, event, settle

    def test_a_call_is_answered_once_though_it_comes_back_late(self):
        lane = lanes.Lane("test", 1, 8, silent)
        gate, begun = threading.Event(), threading.Event()
        found, _, settle = self.settled()
        lane.offer(lanes.Job("slow", lambda: begun.set() or gate.wait(5) and "late", settle, 1000))
        begun.wait(5)
        lane.give_up_late(time.monotonic() + 1)
        self.assertEqual(lane.leaked, 1)
        again, done, settle = self.settled()
        lane.offer(lanes.Job("next", lambda: "served", settle, 5000))
        self.assertTrue(done.wait(5))
        gate.set()
        while lane.leaked:
            time.sleep(0.001)
        self.assertEqual(found, [(False, "TIMEOUT")])
        self.assertEqual(again, [(True, "served")])

    def test_a_call_that_could_not_begin_in_time_was_not_made(self):
        lane = lanes.Lane("test", 1, 8, silent)
        gate, begun = threading.Event(), threading.Event()
        made = []
        first = lanes.Job("first", lambda: begun.set() or gate.wait(5), lambda ok, result: None, 5000)
        lane.offer(first)
        begun.wait(5)
        found, _, settle = self.settled()
        lane.offer(lanes.Job("second", lambda: made.append(1), settle, 1000))
        lane.give_up_late(time.monotonic() + 1)
        gate.set()
        while not lane.is_idle:
            time.sleep(0.001)
        self.assertEqual((found, made), ([(False, "NOT_STARTED")], []))

    def test_a_call_that_was_given_up_stands_until_it_comes_back(self):
        lane = lanes.Lane("test", 1, 8, silent)
        gate, begun = threading.Event(), threading.Event()
        _, _, settle = self.settled()
        lane.offer(lanes.Job("submit", lambda: begun.set() or gate.wait(5), settle, 1000))
        begun.wait(5)
        self.assertEqual(lane.left_behind("submit"), 0, "under way, and not given up")
        self.assertGreaterEqual(lane.standing_s("submit", time.monotonic() + 9), 9)
        lane.give_up_late(time.monotonic() + 1)
        self.assertEqual((lane.left_behind("submit"), lane.left_behind("cancel")), (1, 0))
        self.assertGreaterEqual(lane.standing_s("submit", time.monotonic() + 9), 9)
        self.assertEqual(lane.standing_s("cancel", time.monotonic() + 9), 0)
        seen, done, settle = self.settled()
        lane.offer(lanes.Job("barrier", lambda: lane.left_behind("submit"), settle, 5000))
        self.assertTrue(done.wait(5))
        self.assertEqual(seen, [(True, 1)], "a later call is served, and says nothing of it")
        gate.set()
        while lane.left_behind("submit"):
            time.sleep(0.001)
        self.assertEqual(lane.standing_s("submit", time.monotonic() + 9), 0)

    def test_an_order_that_stands_for_too_long_is_said_and_without_a_limit_nothing_is(self):
        lane = lanes.Lane("test", 1, 8, silent)
        gate, begun = threading.Event(), threading.Event()
        lane.offer(lanes.Job("submit", lambda: begun.set() or gate.wait(5), lambda ok, result: None, 60000))
        begun.wait(5)
        for stuck_s, is_said in ((9.0, True), (11.0, False), (0.0, False)):
            watch = lanes.Watch([lane], 3, stuck_s, lambda text: None, interval_s=60)
            self.assertEqual(bool(watch._wedged(time.monotonic() + 10)), is_said, stuck_s)
        gate.set()

    def test_one_too_many_is_refused(self):
        lane = lanes.Lane("test", 0, 2, silent)
        jobs = [lanes.Job("job", lambda: None, lambda ok, result: None, 1) for _ in range(3)]
        self.assertEqual([lane.offer(job) for job in jobs], [True, True, False])


class LibraryTest(unittest.TestCase):
    def test_what_may_not_be_imported_for_a_moment_may_be_again(self):
        import json

        for before in (json, None):
            sys.modules.pop("json") if before is None else None
            with library.unimportable(("json",)):
                with self.assertRaises(ImportError):
                    import json  # noqa: F811
            self.assertEqual(sys.modules.get("json"), before)
        import json  # noqa: F811

        self.assertEqual(json.loads("1"), 1)

    def test_a_thread_has_an_event_loop_and_keeps_it(self):
        import asyncio

        found = []

        def look():
            for _ in range(2):
                library.have_event_loop()
                found.append(asyncio.get_event_loop())

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        self.assertIs(found[0], found[1])
        found[0].close()

    def test_an_account_of_an_unknown_type_is_none_however_it_is_refused(self):
        class Account(object):
            def __new__(cls, account_id, kind):
                return "no" if kind == "TEXT" else None if kind == "NONE" else object.__new__(cls)

            def __init__(self, account_id, kind):
                if kind == "RAISES":
                    raise Exception("no")
                self.account_id = account_id

        self.assertEqual(library.account_of(Account, "1", "STOCK").account_id, "1")
        for kind in ("TEXT", "NONE", "RAISES"):
            self.assertIsNone(library.account_of(Account, "1", kind), kind)


class RowsTest(unittest.TestCase):
    def test_odd_values_become_plain_ones(self):
        self.assertEqual(rows.number(None), 0.0)
        self.assertEqual(rows.number(float("nan")), 0.0)
        self.assertEqual(rows.text("已报".encode("gb18030")), "已报")
        self.assertEqual(rows.order_number(9007199254740993), "9007199254740993")
        self.assertEqual([rows.order_number(value) for value in (-1, 0, None, "x")], [""] * 4)
        self.assertEqual([rows.time_ms(1754875800), rows.time_ms(1754875800000)], [1754875800000] * 2)

    def test_fields_that_a_build_lacks_are_empty(self):
        row = rows.order(Thing(order_id=7, order_status=99), rows.Plain())
        self.assertEqual((row["order_id"], row["status"], row["text"]), ("7", 255, ""))
        self.assertTrue(rows.is_of("1", Thing()))
        self.assertFalse(rows.is_of("1", Thing(account_id="2")))

    def test_a_text_that_is_none_can_still_be_sent(self):
        self.assertEqual(wire.unpack(wire.pack(rows.text("\ud800x"))), "?x")

    def test_a_field_that_cannot_be_read_is_empty_or_leaves_the_row_out(self):
        class Broken(Thing):
            @property
            def status_msg(self):
                return b"\xb9".decode("utf-8")

            @property
            def order_volume(self):
                return b"\xb9".decode("utf-8")

        self.assertEqual(rows.of(Broken(), "status_msg", ""), "")
        for thing, field in (
            (Broken(order_id=7, stock_code="600036.SH"), "order_volume"),
            (Thing(order_id=7, order_volume="many"), "order_volume"),
            (Thing(order_id=7, traded_volume=float("nan")), "traded_volume"),
            (Thing(order_id=7, order_status=None), "order_status"),
        ):
            with self.assertRaises(rows.Unreadable) as raised:
                rows.order(thing, rows.Plain())
            self.assertEqual(raised.exception.field, field)
        for lacking in (Thing(stock_code="600036.SH"), Thing(stock_code="600036.SH", volume=None)):
            with self.assertRaises(rows.Unreadable):
                rows.position(lacking)

    def test_bare_codes_have_a_market(self):
        for code in ("600036.SH", "000001.SZ", "510300.SH", "159915.SZ", "920001.BJ", "830799.BJ", "430047.BJ"):
            self.assertEqual(names.full_code(code[:6]), code)


class Client(object):
    def __init__(self):
        self.is_there = True

    def is_connected(self):
        return self.is_there


class Data(object):
    """A library in which everything works until a test says otherwise."""

    def __init__(self):
        self.calls = []
        self.client = Client()
        self.ticks = {}
        self.number = 0
        self.is_failing = False
        self.callback = None

    def get_client(self):
        return self.client

    def subscribe_whole_quote(self, codes, callback):
        self.number += 1
        self.calls.append("subscribe " + ",".join(codes))
        self.callback = callback
        return self.number

    def unsubscribe_quote(self, number):
        self.calls.append("unsubscribe %d" % number)

    def get_full_tick(self, codes):
        if self.is_failing:
            raise Exception("no answer")
        self.calls.append("look")
        return self.ticks

    def reconnect(self):
        self.calls.append("reconnect")
        self.client = Client()


class NamesTest(unittest.TestCase):
    def setUp(self):
        self.names = names.Names()

    def call(self, number="", sysid="", place="", code="600036.SH"):
        name = self.names.find(number, sysid, place)
        record = self.names.news(name, number, sysid, code)
        if record is not None:
            self.names.take(record)
        return name

    def test_the_terminal_s_number_is_the_name_where_there_is_one(self):
        self.assertEqual(self.call("7", "S1", "row:a"), "7")
        self.assertEqual(self.call("", "S1", "row:a"), "7", "also when it is not shown for a while")
        self.assertEqual(self.call("8", "S1", "row:a"), "8", "and a new one is a new one")

    def test_a_made_name_stays_whatever_is_shown_later(self):
        self.assertEqual(self.call("", "S1", "row:a"), "sysid:S1")
        self.assertEqual(self.call("7", "S1", "row:a"), "sysid:S1")
        self.assertEqual(self.call("7", "", ""), "sysid:S1", "a deal with the number alone")
        self.assertEqual(self.names.known("sysid:S1"), {
            "name": "sysid:S1", "number": "7", "sysid": "S1", "code": "600036.SH",
        })
        self.assertEqual(self.call("", "", "row:b"), "row:b")
        self.assertEqual(self.call("", "S2", "row:b"), "row:b", "its number at the counter has come")
        self.assertEqual(self.call("", "S3", "row:b"), "sysid:S3", "another one of the same kind")
        self.assertEqual(self.call("", "", ""), "")
        self.names.clear()
        self.assertIsNone(self.names.known("row:b"))


class RefusalsTest(unittest.TestCase):
    def test_a_reason_is_waited_for_and_not_for_ever(self):
        now = [10.0]
        waiting = refusals.Refusals(1.0, lambda: now[0])
        self.assertIsNone(waiting.wait_s())
        waiting.wait("a", 5)
        now[0] = 10.4
        waiting.wait("b", 6)
        self.assertAlmostEqual(waiting.wait_s(), 0.6)
        self.assertEqual((waiting.behind(6), waiting.behind(None), waiting.due()), ("b", "", []))
        now[0] = 11.0
        self.assertEqual(waiting.due(), ["a"])
        self.assertEqual((waiting.end("a"), waiting.end("a")), (True, False))


class SessionsTest(unittest.TestCase):
    def test_a_number_is_known_before_it_is_used_and_a_broken_file_is_no_obstacle(self):
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, sessions.FILE)
        book = sessions.Sessions(path, silent)
        first = book.new_number()
        self.assertEqual(book.used(), [first])
        with open(path, "w") as file:
            file.write("[1, ")
        self.assertEqual(book.used(), [])
        second = book.new_number()
        self.assertEqual(book.used(), [second])


class QuotesTest(unittest.TestCase):
    def setUp(self):
        self.rings = []
        self.data = Data()
        limits = {"quotes_behind_max": 3, "quotes_patience_max": 12, "resubscribe_min_ms": 0}
        self.quotes = quotes.Quotes(0, self.rings.append, self.later, limits, silent)
        self.quotes._xtdata = self.data

    def later(self, work):
        work()
        return True

    def take(self):
        message = self.quotes.take()
        size = ticks.TICK.size
        return dict(
            (code, ticks.TICK.unpack(message["d"][at * size:(at + 1) * size]))
            for at, code in enumerate(message["c"])
        )

    def subscriptions(self):
        return [call for call in self.data.calls if call != "look"]

    def look(self, stamp, times=1):
        """So many looks, each of which brings a newer tick."""
        for more in range(times):
            self.data.ticks = {"600036.SH": {"time": stamp + more, "lastPrice": 36.5}}
            self.quotes.poll({})

    def test_a_tick_and_a_list_of_ticks_are_the_same(self):
        self.quotes._pushed({"600036.SH": {"time": 5, "lastPrice": 36.5}})
        self.quotes._pushed({"000001.SZ": [{"time": 5, "lastPrice": 11.0}, {"time": 6, "lastPrice": 12.0}]})
        found = self.take()
        self.assertEqual((found["600036.SH"][1], found["000001.SZ"][1]), (36.5, 12.0))
        self.assertEqual(self.take(), {}, "the newest of each, once")

    def test_an_older_tick_is_left_out_and_an_equal_one_unless_asked_for(self):
        self.quotes._pushed({"600036.SH": {"time": 5, "lastPrice": 36.5}})
        self.take()
        for stamp in (0, 4, 5):
            self.quotes._pushed({"600036.SH": {"time": stamp, "lastPrice": 1.0}})
        self.assertEqual(self.take(), {})
        self.data.ticks = {"600036.SH": {"time": 5, "lastPrice": 36.5}}
        self.quotes.want({"codes": ["600036.SH"]})
        self.assertEqual(len(self.take()), 1)

    def test_three_failures_make_a_new_connection_and_not_another_at_once(self):
        self.quotes.want({"codes": ["600036.SH"]})
        self.data.is_failing = True
        for _ in range(7):
            with self.assertRaises(lanes.CallError):
                self.quotes.poll({})
        self.assertEqual(
            self.subscriptions(), ["subscribe 600036.SH", "reconnect", "subscribe 600036.SH"],
            "and no number of the old connection is given back to the new one",
        )

    def test_a_night_without_a_terminal_does_not_fill_the_log(self):
        said = []
        self.quotes._log = lambda _level, text: said.append(text)
        self.quotes.want({"codes": ["600036.SH"]})
        self.data.is_failing = True
        for _ in range(1000):
            self.assertRaises(lanes.CallError, self.quotes.poll, {})
        self.assertEqual(len([text for text in said if text.startswith("full tick failed")]), 10)

    def test_subscribes_first_and_reads_then(self):
        self.quotes.want({"codes": ["600036.SH"]})
        self.assertEqual(self.data.calls, ["subscribe 600036.SH", "look"])

    def test_a_subscription_that_fails_keeps_nobody_from_looking_and_is_made_up_for(self):
        number, self.data.number = self.data.number, -2
        with self.assertRaises(lanes.CallError):
            self.quotes.want({"codes": ["600036.SH"]})
        self.data.number = number
        self.quotes.poll({})
        self.assertEqual(self.quotes.poll({})["renewals"], 1)
        self.assertEqual(self.subscriptions(), ["subscribe 600036.SH"] * 2)

    def test_another_client_object_has_forgotten_everything(self):
        self.quotes.want({"codes": ["600036.SH"]})
        self.data.client = Client()
        self.quotes.poll({})
        self.quotes.poll({})
        self.assertEqual(self.subscriptions(), ["subscribe 600036.SH"] * 2, "once, nothing given back")

    def test_the_same_client_that_was_away_has_forgotten_everything(self):
        self.quotes.want({"codes": ["600036.SH"]})
        self.data.client.is_there = False
        self.quotes.poll({})
        self.data.client.is_there = True
        self.quotes.poll({})
        self.quotes.poll({})
        self.assertEqual(self.subscriptions()[:2], ["subscribe 600036.SH"] * 2)

    def test_looks_that_are_ahead_of_the_pushes_again_and_again(self):
        self.quotes.want({"codes": ["600036.SH"]})
        self.look(10, 2)
        self.data.callback({"600036.SH": {"time": 12, "lastPrice": 36.5}})
        self.look(13, 2)
        self.assertEqual(len(self.subscriptions()), 1, "a push between them shows that it lives")
        self.look(15)
        anew = ["unsubscribe 1", "subscribe 600036.SH"]
        self.assertEqual(self.subscriptions()[1:], anew)
        self.look(20, 6)
        self.assertEqual(len(self.subscriptions()), 5, "twice as many looks where it did not help")
        self.look(30, 24)
        self.assertEqual(len(self.subscriptions()), 9, "and no more than the limit")
        self.data.callback({"600036.SH": {"time": 60, "lastPrice": 36.5}})
        self.look(61, 3)
        self.assertEqual(len(self.subscriptions()), 11, "after a push it is as in the beginning")

    def test_it_is_never_done_twice_within_its_limit(self):
        watched = subscriptions.Subscriptions(1, 1, 10.0)
        watched.want(["600036.SH"])
        self.assertTrue(watched.is_due(0), "what is missing is due at once")
        watched.subscribed(None, 1, ["600036.SH"])
        due = []
        for now in range(1, 32):
            watched.polled("600036.SH")
            if watched.is_due(now):
                due.append(now)
                watched.begin_anew()
                watched.subscribed(None, now, ["600036.SH"])
        self.assertEqual(due, [1, 11, 21, 31])

    def test_what_is_refused_is_counted_and_told_with_its_reason(self):
        self.quotes.want({"codes": ["600036.SH", "000001.SZ"]})
        self.data.ticks = {
            "600036.SH": {"lastPrice": 36.5}, "000001.SZ": {"timetag": "09:30", "lastPrice": 11.0},
            "600000.SH": {"timetag": "20231026 09:30:00", "lastPrice": 9.0}, "600001.SH": None,
        }
        told = self.quotes.poll({})
        self.assertEqual((told["accepted"], told["refusals"]), (1, 3))
        self.assertEqual(told["refused"], {
            "600036.SH": "no time", "000001.SZ": "no time in '09:30'",
            "600001.SH": "not a tick: NoneType",
        })
        self.data.ticks["600036.SH"]["time"] = 5
        self.assertNotIn("600036.SH", self.quotes.poll({})["refused"], "until one is accepted")


class TicksTest(unittest.TestCase):
    def test_text_is_the_time_of_the_exchange(self):
        nine = 1698283800000.0  # 2023-10-26 09:30 in Shanghai
        for tag, expected in (
            ("20231026 09:30:00", nine), ("20231026 09:30:00.950", nine + 950),
            ("20231026 09:30:00:950", nine + 950), ("20231026 09:30:00.5", nine + 500),
            ("20231026093000", nine), (" 20231026 09:30:00 ", nine), (b"20231026 09:30:00", nine),
        ):
            self.assertEqual(ticks.stamp_of({"timetag": tag}), (expected, ""), tag)

    def test_two_ticks_of_one_second_are_told_apart_by_what_was_traded(self):
        newest = ticks.Ticks()
        for volume, is_news in ((3, True), (3, False), (4, True), (3, False)):
            tick = {"timetag": "20231026 15:00:00", "lastPrice": 9.0, "volume": volume}
            self.assertEqual(newest.offer("600036.SH", tick), is_news)

    def test_nothing_else_is_a_time(self):
        for tag in (
            "20231326 09:30:00", "20230230 09:30:00", "20231026 25:30:00", "20231026 09:60:00",
            "20231026", "09:30:00", "2023-10-26 09:30:00", "20231026 09:30:00 x", "0", "20231026 09:30",
            "20231026 09:30:00.9500", 20231026, [], "00000000 00:00:00",
        ):
            stamp, why = ticks.stamp_of({"timetag": tag})
            self.assertEqual(stamp, 0, tag)
            self.assertTrue(why.startswith("no time"), why)
        self.assertEqual(ticks.stamp_of({"time": float("nan"), "timetag": ""}), (0, "no time"))

    def test_a_number_goes_before_text(self):
        found = ticks.stamp_of({"time": 1698283800123, "timetag": "20231026 09:30:00"})
        self.assertEqual(found, (1698283800123, ""))

    def test_lots_become_shares_once(self):
        tick = {"time": 1, "volume": 3, "askVol": [2], "bidVol": None}
        found = ticks.TICK.unpack(ticks.packed("600036.SH", tick, 1))
        self.assertEqual((found[6], found[18], found[23], found[24]), (300, 0, 200, 0))
        exact = ticks.TICK.unpack(ticks.packed("600036.SH", dict(tick, pvolume=345), 1))
        self.assertEqual(exact[6], 345)
        self.assertEqual(ticks.lot_of("123001.SZ"), 10)

    def test_the_list_of_refused_codes_has_an_end(self):
        newest = ticks.Ticks()
        for number in range(ticks.REFUSED_TOLD_MAX + 9):
            newest.offer("%06d.SH" % number, {})
        self.assertEqual(len(newest.refused()), ticks.REFUSED_TOLD_MAX)
        self.assertEqual(newest.refusals, ticks.REFUSED_TOLD_MAX + 9)


class InstrumentsTest(unittest.TestCase):
    def ask(self, details):
        class Known(Data):
            def get_instrument_detail(self, code):
                if isinstance(details[code], Exception):
                    raise details[code]
                return details[code]

        found = quotes.Quotes(0, silent, silent, {}, silent)
        found._xtdata = Known()
        return found.instruments({"codes": sorted(details)})["instruments"]

    def test_one_that_is_unknown_or_cannot_be_read_keeps_no_other(self):
        whole = {"InstrumentName": "招商银行 ", "UpStopPrice": 39.6, "PriceTick": 0.01, "IsTrading": True,
                 "InstrumentStatus": 3, "DownStopPrice": 1.7976931348623157e308, "MinLimitOrderVolume": 100}
        found = self.ask({"a": whole, "b": None, "c": Exception("planted"), "d": {}})
        self.assertEqual(found, {"a": {
            "name": "招商银行", "up": 39.6, "down": 0, "pre_close": 0, "tick": 0.01, "lot_min": 100,
            "lot_max": 0, "status": 3, "is_trading": True,
        }})
        self.assertEqual(self.ask({"a": {"InstrumentName": "x"}})["a"]["is_trading"], None)

    def test_a_release_without_it_says_so(self):
        found = quotes.Quotes(0, silent, silent, {}, silent)
        found._xtdata = object()
        with self.assertRaises(lanes.CallError) as raised:
            found.instruments({"codes": ["a"]})
        self.assertEqual(raised.exception.code, "UNSUPPORTED")


class FolderTest(unittest.TestCase):
    def test_nothing_but_the_library_is_taken_from_its_folder(self):
        folder = tempfile.mkdtemp()
        os.mkdir(os.path.join(folder, "xtquant"))
        for name in (os.path.join("xtquant", "__init__.py"), "built_for_another_python.py"):
            open(os.path.join(folder, name), "w").close()
        try:
            self.assertIn(folder, library.find_xtquant(folder, silent)["path"])
            with self.assertRaises(ImportError):
                import built_for_another_python  # noqa: F401
        finally:
            sys.modules.pop("xtquant", None)


class HistoryTest(unittest.TestCase):
    def test_a_release_that_has_none_says_so(self):
        with self.assertRaises(RuntimeError) as raised:
            history.table_of(object(), "600036.SH", "1d", "", "")
        self.assertIn("too old for history", str(raised.exception))

    def test_nothing_there_is_an_empty_answer(self):
        class Data(object):
            def get_market_data_ex(self, *_):
                return {}

        told = []
        history.bars(Data(), {"code": "600036.SH", "period": "1d"}, told.append)
        self.assertEqual(told, [{"t": "done", "rows": 0}])


if __name__ == "__main__":
    os.environ.pop("FAKE_XT_CRASH", None)
    unittest.main(verbosity=0)
