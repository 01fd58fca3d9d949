"""Tests of what the sidecar makes of the library: rows, names, refusals, sessions."""

import os
import sys
import tempfile
import threading
import time
import unittest

import journal
import library
import lists
import names
import refusals
import rows
import sessions
import trader
import wire
from sidecar_case import DAY_S, OWN, Thing, no_space, silent


class LibraryTest(unittest.TestCase):
    def test_what_may_not_be_imported_for_a_moment_may_be_again(self):
        import json

        for before in (json, None):
            sys.modules.pop("json") if before is None else None
            with library.unimportable(("json",)):
                with self.assertRaises(ImportError):
                    import json  # noqa: F797
            self.assertEqual(sys.modules.get("json"), before)
        import json  # noqa: F797

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
        self.assertEqual(rows.text("已报".encode("gb18030") + b"\0\0\xb9"), "已报")
        self.assertEqual(rows.order_number(9007199254740993), "9007199254740993")
        self.assertEqual([rows.order_number(value) for value in (-1, 0, None, "x")], [""] * 4)
        self.assertEqual([rows.time_ms(1754875800), rows.time_ms(1754875800000)], [1754875800000] * 2)

    def test_times_in_every_spelling(self):
        at = 1786415405000  # 2026-08-11 10:30:05 at the exchange
        for told in (
            at, at // 1000, str(at // 1000), 20260811103005, "20260811103005", "20260811 10:30:05", "20260811 10:30:05.000",
        ):
            self.assertEqual(rows.time_ms(told), at, told)
        for nothing in (None, 0, -1, "", "never", float("nan"), 103005, "10:30:05", 20260811):
            self.assertEqual(rows.time_ms(nothing), 0, "no day, or no time: nobody dates it into 1970 or 2612")

    def test_fields_that_a_build_lacks_are_empty(self):
        row = rows.order(Thing(order_id=7, order_status=99, stock_code="600036.SH"), rows.Plain())
        self.assertEqual((row["order_id"], row["status"], row["text"]), ("7", 255, ""))
        self.assertTrue(rows.is_of("1", Thing()))
        self.assertFalse(rows.is_of("1", Thing(account_id="2")))
        self.assertTrue(rows.is_of("1", Thing(account_id="1  ")), "filled up to a length of its own")

    def test_a_text_that_is_none_can_still_be_sent(self):
        self.assertEqual(wire.unpack(wire.pack(rows.text("\ud800x"))), "?x")

    def test_a_holding_tells_by_which_shareholder_s_number_where_the_release_does(self):
        parts = dict(stock_code="600036.SH", volume=300, can_use_volume=100)
        self.assertEqual(rows.position(Thing(secu_account="A123456789 ", **parts))["holder"], "A123456789")
        self.assertEqual(rows.position(Thing(**parts))["holder"], "")

    def test_of_a_text_without_an_end_the_beginning_is_told(self):
        for endless in ("委托" * 5000000, "委托".encode("gb18030") * 5000000):
            row = rows.order(Thing(order_id=7, stock_code="600036.SH", status_msg=endless), rows.Plain())
            self.assertEqual(row["text"], "委托" * (rows.TEXT_CHARS_MAX // 2))

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
            (Thing(order_id=7, stock_code="600036.SH", order_volume="many"), "order_volume"),
            (Thing(order_id=7, stock_code="600036.SH", traded_volume=float("nan")), "traded_volume"),
            (Thing(order_id=7, stock_code="600036.SH", order_status=None), "order_status"),
        ):
            with self.assertRaises(rows.Unreadable) as raised:
                rows.order(thing, rows.Plain())
            self.assertEqual(raised.exception.field, field)
        for lacking in (Thing(stock_code="600036.SH"), Thing(stock_code="600036.SH", volume=None)):
            with self.assertRaises(rows.Unreadable):
                rows.position(lacking)

    def test_f624_a_row_that_names_no_stock_is_left_out_and_not_of_another_market(self):
        whole = dict(volume=300, can_use_volume=100, order_id=7, traded_id="1", traded_volume=100, traded_price=36.0)
        for code in (None, "", " ", "None", float("nan"), b""):
            thing = Thing(stock_code=code, **whole)
            for read in (rows.position, lambda one: rows.order(one, rows.Plain()), lambda one: rows.deal(one, rows.Plain())):
                with self.assertRaises(rows.Unreadable) as raised:
                    read(thing)
                self.assertEqual(raised.exception.field, "stock_code", repr(code))

    def test_a_line_of_no_shares_and_no_stock_keeps_no_list_from_being_whole(self):
        for code in (None, "", " "):
            self.assertEqual(rows.position(Thing(stock_code=code, volume=0))["code"], "")

    def test_what_is_no_number_is_no_cash_and_no_price_of_nothing(self):
        cash = dict(frozen_cash=0.0, market_value=float("nan"), total_asset=float("inf"))
        row = rows.asset(Thing(cash=7.5, **cash))
        self.assertEqual((row["cash"], row["market_value"], row["total"]), (7.5, 0.0, 0.0))
        for odd in (float("nan"), float("-inf"), None, 10**400):
            with self.assertRaises(rows.Unreadable, msg=odd) as raised:
                rows.asset(Thing(cash=odd, **cash))
            self.assertEqual(raised.exception.field, "cash")
            with self.assertRaises(rows.Unreadable, msg=odd) as raised:
                rows.deal(Thing(order_id=7, stock_code="600036.SH", traded_id="1", traded_volume=100, traded_price=odd), rows.Plain())
            self.assertEqual(raised.exception.field, "traded_price", "a deal at 0 would be a bonus of shares")
        self.assertEqual([rows.order_number(float("inf")), rows.number(10**400)], ["", 0.0])

    def test_one_row_that_cannot_be_read_does_not_lose_its_list_whatever_it_raises(self):
        class Connected(object):
            account_id = "1"

        def row_of(thing):
            return 1 // thing

        answer = lists.Lists(Connected(), silent).of("deal", [1, 0], row_of)
        self.assertEqual(answer["rows"], [1])
        self.assertRegex(answer["left_out"][0], "ZeroDivisionError")

    def test_what_stands_for_no_number_of_the_counter_is_none(self):
        for odd in ("", " ", "0", "000000", "-1", "None", None):
            self.assertEqual(rows.sysid_of(Thing(order_sysid=odd)), "", odd)
        self.assertEqual(rows.sysid_of(Thing(order_sysid=" 0012 ")), "0012")

    def test_bare_codes_have_a_market(self):
        for code in ("600036.SH", "000001.SZ", "510300.SH", "159915.SZ", "920001.BJ", "830799.BJ", "430047.BJ"):
            self.assertEqual(names.full_code(code[:6]), code)

    def test_bare_codes_of_bonds_and_repos_have_the_market_that_the_service_gives_them(self):
        for code in (
            "110059.SH", "113050.SH", "118034.SH", "132018.SH", "204001.SH",
            "111000.SZ", "123107.SZ", "127045.SZ", "128136.SZ", "131810.SZ", "161725.SZ",
        ):
            self.assertEqual(names.full_code(code[:6]), code)


class TraderTest(unittest.TestCase):
    """A trader whose library is what the test says."""

    def setUp(self):
        self.lists = {"orders": [], "trades": []}
        self.told = []
        self.now = 1754875800.0
        self.request = 5
        self.sent = []
        self.book = journal.Journal(os.path.join(tempfile.mkdtemp(), "journal"), lambda: self.now)
        self.trader = trader.Trader(self.book, self.told.append, self.record, None, lambda: 0, silent)
        connection = self.trader._connection
        connection.account_id, connection.is_connected = "1", True
        connection.live = lambda: (Thing(
            query_stock_trades=lambda account: self.lists["trades"],
            query_stock_orders=lambda account: self.lists["orders"],
            query_stock_asset=lambda account: Thing(cash=1.0, frozen_cash=0.0),
            order_stock_async=lambda *given: self.sent.append(given) or self.request,
        ), None)

    def tearDown(self):
        self.book.close()

    def record(self, event):
        self.told.append(self.book.event(event))

    def kinds(self):
        return [event["kind"] for event in self.told]

    def submit(self, own=OWN):
        return self.trader.submit({
            "client_order_id": own, "code": "600036.SH", "order_type": 24, "quantity": 400, "price_type": 11,
            "price": 360000, "strategy": "grid",
        })

    def fill(self, **parts):
        return Thing(**dict(dict(
            account_id="1", stock_code="600036.SH", order_type=24, order_id=7, traded_id="", traded_volume=200,
            traded_price=36.0, traded_time=1754875806, order_remark=journal.remark_key(OWN),
        ), **parts))

    def test_fills_without_a_number_count_and_two_that_are_alike_are_two(self):
        self.submit()
        for number in ("", "0", None):
            self.lists["trades"] = [self.fill(traded_id=number), self.fill(traded_id="D9"), self.fill(traded_id=number)]
            ids = [row["deal_id"] for row in self.trader.query({"what": "deals"})["rows"]]
            first = "row:7:1754875806000:200:36.0"
            self.assertEqual(ids, [first, "D9", first + "#2"])
        for _ in range(2):
            self.trader._turn(0, "deal", self.fill())
        self.assertEqual(self.kinds(), ["placed", "deal", "left_out", "deal", "left_out"], "only the list can tell")
        self.assertEqual([self.told[at]["row"]["deal_id"] for at in (1, 3)], [first, first])

    def test_only_minus_one_is_a_refusal_and_another_negative_number_says_nothing(self):
        self.submit()
        self.trader._settle(OWN, Thing(order_id=-1193373538, error_msg=""))  # 3101593758 in 32 bits
        self.assertEqual((self.book.order(OWN)["state"], self.trader._refusals.is_waiting(OWN)), ("unknown", False))
        self.assertEqual(self.trader.answers(self.trader.barrier({})), {}, "it has left the library: the lists tell")
        self.trader._settle(OWN, Thing(order_id=-1, error_msg=""))
        self.assertEqual(self.trader._refusals.is_waiting(OWN), True)

    def test_a_request_with_a_negative_number_may_have_left(self):
        for number, state in ((-7, "unknown"), (-1, "rejected")):
            own = "%s%d" % (OWN[:-1], -number)
            self.request = number
            answer = self.submit(own)
            self.assertEqual((answer["state"], answer.get("is_sent")), (state, None), number)

    def test_a_refusal_that_cannot_be_written_down_is_told_and_leaves_nothing_unheard(self):
        self.request, self.book.refused = -1, no_space
        self.assertEqual(self.submit()["state"], "rejected", "it was in doubt until the session ended")
        self.assertEqual(self.trader.answers(self.trader.barrier({})), {})

    def test_a_push_with_a_text_that_cannot_be_told_is_no_lost_connection(self):
        class Odd(object):
            def __str__(self):
                raise RuntimeError("no text")

        self.trader._put(0, "order", Thing(
            account_id="1", stock_code="600036.SH", order_type=24, order_id=7, order_status=50, order_volume=400,
            traded_volume=0, price=36.0, status_msg=Odd(), order_remark="",
        ))
        self.trader._put(0, "deal", self.fill(traded_id="D1", order_remark=Odd()))
        self.trader._put(0, "account_status", Thing(account_id="1", status=0))
        end = time.monotonic() + 20
        while "account_status" not in self.kinds() and time.monotonic() < end:
            time.sleep(0.001)
        self.assertEqual(self.kinds(), ["order", "deal", "account_status"])

    def test_a_calendar_that_jumps_over_days_does_not_make_an_order_new(self):
        self.submit()
        self.now += 3 * DAY_S
        self.trader._turn(0, "deal", self.fill(order_remark="", order_id=8))
        self.now -= 3 * DAY_S
        self.assertNotIn("is_sent", self.submit())
        self.assertEqual(len(self.sent), 1)

    def test_a_fill_with_no_number_at_all_of_an_order_of_ours_waits_for_a_name_that_stays(self):
        self.submit()
        self.lists["trades"] = [self.fill(order_id=0)]
        self.assertEqual(len(self.trader.query({"what": "deals"})["left_out"]), 1)
        self.trader._settle(OWN, Thing(order_id=7))
        answer = self.trader.query({"what": "deals"})
        self.assertEqual((answer["rows"][0]["deal_id"][:6], answer["left_out"]), ("row:7:", []))

    def test_a_fill_without_a_number_is_the_same_when_the_terminal_numbers_its_orders_anew(self):
        self.submit()
        self.trader._settle(OWN, Thing(order_id=7))
        elsewhere = dict(order_remark="", order_id=9, traded_time=1754875900)
        ids = []
        for own, other, sysid in ((7, 9, "S9"), (9, 7, "S9"), (11, 12, "S9")):
            self.lists["trades"] = [
                self.fill(order_id=own),
                self.fill(**dict(elsewhere, order_id=other, order_sysid=sysid)),
            ]
            ids.append([row["deal_id"] for row in self.trader.query({"what": "deals"})["rows"]])
            self.trader._connection.session += 1
        self.assertEqual(ids[1:], [ids[0], ids[0]], "or it is booked twice")
        self.assertEqual(len(set(ids[0])), 2)


class NamesTest(unittest.TestCase):
    def setUp(self):
        self.names = names.Names()

    def call(self, number="", sysid="", place="", code="600036.SH"):
        name = self.names.find(number, sysid, place, code)
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

    def test_a_counter_may_number_by_exchange(self):
        self.assertEqual(self.call("7", "S1"), "7")
        self.assertEqual(self.call("", "S1", code="000001.SZ"), "sysid:S1", "not the order of Shanghai")
        self.assertEqual(self.call("", "S1"), "7")
        self.assertEqual(self.call("", "S2"), "sysid:S2")
        self.assertEqual(self.call("", "S2", code="000001.SZ"), "sysid:S2.SZ")
        for _ in range(2):
            self.assertEqual([self.call("", "S2", code=code) for code in ("600036.SH", "000002.SZ")], ["sysid:S2", "sysid:S2.SZ"])
        self.assertEqual(self.names.known("sysid:S2.SZ")["code"], "000001.SZ")


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

    def test_a_disk_that_takes_nothing_keeps_nobody_from_the_terminal(self):
        folder = tempfile.mkdtemp()
        said = []
        path = os.path.join(folder, sessions.FILE)
        os.mkdir(path + ".new")
        book = sessions.Sessions(path, lambda level, text: said.append(text))
        self.assertGreater(book.new_number(), 0)
        self.assertRegex(said[0], "not written down")
