"""Tests of the journal of the sidecar and of the script: days, numbers, full disks, kills."""

import os
import tempfile
import unittest

import bearers
import day_files
import journal
from sidecar_case import DAY_S, OWN, no_space


class HalfFull(object):
    """Takes some bytes of each record, and then no more."""

    def __init__(self, file):
        self._file = file
        self._room = 9

    def write(self, data):
        if not self._room:
            self._room = 9
            no_space()
        part, self._room = data[:self._room], 0
        return self._file.write(part)

    def __getattr__(self, name):
        return getattr(self._file, name)


class JournalTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.now = 1754875800.0
        self.book = None

    def open(self):
        if self.book is not None:
            self.book.close()
        self.book = journal.Journal(self.folder, lambda: self.now)
        return self.book

    def test_digits_without_an_exchange_are_of_the_one_that_was_ordered_or_told(self):
        book = self.open()
        self.assertEqual(book.codes.seen("111010"), "111010")
        book.intend(OWN, {"code": "111010.SH", "quantity": 10})
        book.event({"kind": "deal", "row": {"code": "830799.BJ", "deal_id": "1"}})
        for _ in range(2):
            told = [book.codes.seen(code) for code in ("111010", "830799", "600036")]
            self.assertEqual(told, ["111010.SH", "830799.BJ", "600036"])
            book = self.open()
        self.assertEqual(book.codes.seen("111010.SZ"), "111010.SZ")
        self.assertEqual(book.codes.seen("111010"), "111010", "seen at both: the digits alone decide, as before")

    def test_digits_are_of_no_market_in_which_nothing_is_traded_here(self):
        book = self.open()
        self.assertEqual(book.codes.seen("000001.OF"), "000001.OF")
        self.assertEqual(book.codes.seen("000001"), "000001", "a fund of that number is held, but the stock was pushed")
        book.intend(OWN, {"code": "000001.SZ"})
        self.assertEqual(book.codes.seen("000001"), "000001.SZ")

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

    def test_a_number_names_no_row_that_says_otherwise(self):
        book = self.open()
        other = "2" + OWN[1:-1] + ("0" if OWN[-1] != "0" else "1")
        asked = {"code": "600036.SH", "order_type": 24, "quantity": 200}
        book.intend(OWN, asked)
        book.placed(OWN, "7")
        book.intend(other, asked)
        row = dict(asked, price_type=11, code="600036")
        fill = dict(asked, deal_id="1", quantity=100)
        for same in (row, fill, dict(row, quantity=0), dict(row, order_type=0), None):
            self.assertEqual(book.client_order_id("7", "by hand", same), OWN, same)
        self.assertEqual(book.client_order_id("7", journal.remark_key(other), row), other)
        for odd in (dict(row, quantity=100), dict(row, order_type=23), dict(row, code="600000")):
            book = self.open()
            self.assertEqual(book.client_order_id("7", journal.remark_key(OWN), odd), OWN, "its own remark counts more")
            self.assertEqual(book.client_order_id("7", "", odd), "", odd)
            self.assertEqual(book.client_order_id("7", "", fill), "", "nor are its fills ours from then on")

    def test_f626_a_number_of_another_exchange_does_not_take_that_of_ours(self):
        book = self.open()
        asked = {"code": "600036.SH", "order_type": 24, "quantity": 200}
        book.intend(OWN, asked)
        book.placed(OWN, "7")
        row = dict(asked, price_type=11)
        self.assertEqual(book.client_order_id("7", "", dict(row, code="000001.SZ")), "")
        self.assertEqual(book.client_order_id("7", "", row), OWN, "its remark lost, it is known by its number")

    def listed(self, *things):
        """What a list of a new session says of its rows: whose each is, and whether its number was that of ours."""
        book = bearers.Bearers(self.book, lambda: 2).of_list(())
        return [(book.client_order_id(row["number"], "", row), book.has_former_number(row["number"])) for row in things]

    def test_a_number_at_the_counter_is_one_with_zeros_before_it_and_without(self):
        book = self.open()
        book.intend(OWN, {"code": "600036.SH", "order_type": 24, "quantity": 200})
        book.placed(OWN, "7")
        book.called(OWN, ("7", "0000123"), "", "600036.SH")
        row = {"number": "7", "code": "600036.SH", "order_type": 24, "quantity": 200, "price_type": 11}
        self.assertEqual(self.listed(dict(row, sysid="123")), [(OWN, False)])
        self.assertEqual(self.listed(dict(row, sysid="124")), [("", True)])

    def test_a_row_of_another_exchange_takes_no_number_from_ours_in_a_list_either(self):
        book = self.open()
        book.intend(OWN, {"code": "600036.SH", "order_type": 24, "quantity": 200})
        book.placed(OWN, "7")
        book.called(OWN, ("7", "123"), "", "600036.SH")
        ours = {"number": "7", "code": "600036.SH", "order_type": 24, "quantity": 200, "price_type": 11, "sysid": "123"}
        theirs = dict(ours, code="000001.SZ", sysid="55")
        self.assertEqual(self.listed(theirs, ours), [("", False), (OWN, False)])
        self.assertEqual(self.listed(ours, theirs), [(OWN, False), ("", False)])

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
        self.assertLessEqual(len(self.book._days()), journal.DAYS_KEPT + 1, "of a process that lives for long, too")
        self.open()
        self.assertLessEqual(len(self.book._days()), journal.DAYS_KEPT + 1)

    def test_a_folder_that_cannot_be_listed_holds_up_no_order(self):
        book = self.open()
        self.now += DAY_S
        book._days = no_space
        book.intend(OWN, {})
        self.assertEqual(self.open().order(OWN)["state"], "unknown")

    def test_the_first_number_of_an_order_of_the_day_outlives_the_process(self):
        self.open()
        for number in ("9", "7"):
            row = {"order_id": number, "sysid": "S9", "code": "600036.SH", "client_order_id": "", "status": 50}
            self.book.event({"kind": "order", "row": row})
        for again in (self.book, self.open()):
            self.assertEqual(again.first_number("S9", "600036"), "9", "or its fills have other names than before")
            self.assertEqual(again.first_number("S9", "000001"), "", "another exchange may give the same")
        self.now += DAY_S
        self.assertEqual(self.open().first_number("S9", "600036"), "", "another day, another order")

    def test_what_bears_no_time_is_of_the_day_on_which_it_was_heard(self):
        heard_ms, told_ms = int(self.now * 1000), 1754870000000
        book = self.open()
        book.event({"kind": "deal", "row": {"deal_id": "1", "time": 0}})
        book.event({"kind": "deal", "row": {"deal_id": "2", "time": told_ms}})
        book.event({"kind": "placed", "client_order_id": OWN, "order_id": "7"})
        self.now += DAY_S
        for again in (book, self.open()):
            rows = [event["row"] for event in again.after(0) if "row" in event]
            self.assertEqual([row["time"] for row in rows], [heard_ms, told_ms])
            self.assertEqual([row.get("is_undated", False) for row in rows], [True, False])

    def test_numbers_go_on_after_days_on_which_nothing_happens(self):
        for days in (3, journal.DAYS_KEPT + 3):
            book = self.open()
            seq = book.event({"kind": "deal", "row": {}})["seq"]
            for _ in range(days):
                self.now += DAY_S
                book = self.open()
            self.assertEqual(book.event({"kind": "deal", "row": {}})["seq"], seq + 1, days)

    def test_numbers_go_on_after_days_of_which_only_orders_are_written(self):
        seq = self.open().event({"kind": "deal", "row": {}})["seq"]
        for day in range(journal.DAYS_KEPT + 3):
            self.now += DAY_S
            self.open().sent(OWN, day)
        self.assertEqual(self.open().event({"kind": "deal", "row": {}})["seq"], seq + 1)

    def test_an_old_file_that_somebody_has_open_is_no_obstacle(self):
        for day in range(1, 12):
            open(os.path.join(self.folder, "2025-01-%02d.jsonl" % day), "wb").close()
        remove, os.remove = os.remove, no_space
        try:
            self.open()
        finally:
            os.remove = remove
        self.assertEqual(len(self.book._days()), 11)
        self.assertLess(len(self.open()._days()), 11)

    def test_files_of_days_to_come_hide_nothing_of_today(self):
        """A calendar that was wrong for a while has left them."""
        for days in (20, 21):
            self.now += days * DAY_S
            self.open().event({"kind": "deal", "row": {}})
            self.now -= days * DAY_S
        book = self.open()
        book.intend(OWN, {})
        book.placed(OWN, "7")
        book.event({"kind": "deal", "row": {}})
        book = self.open()
        self.assertEqual(book.order(OWN)["order_id"], "7")
        self.assertEqual(book.client_order_id("7", ""), OWN)
        self.assertEqual([event["seq"] for event in book.after(0)], [1, 2, 3])
        for day in range(22, 32):
            open(os.path.join(self.folder, "2025-09-%02d.jsonl" % day), "wb").close()
        self.open()
        self.assertEqual(self.open().order(OWN)["order_id"], "7", "and today's is no old one")

    def test_numbers_go_on_where_an_earlier_version_left_days_without_any(self):
        with open(os.path.join(self.folder, "2025-08-01.jsonl"), "wb") as file:
            file.write(b'{"event":{"kind":"deal","row":{},"seq":41}}\n{"ev')
        for day in range(2, 12):
            open(os.path.join(self.folder, "2025-08-%02d.jsonl" % day), "wb").close()
        self.assertEqual(self.open().event({"kind": "deal", "row": {}})["seq"], 42)

    def test_one_who_knows_more_than_was_written_has_seen_nothing(self):
        book = self.open()
        for _ in range(3):
            book.event({"kind": "deal", "row": {}})
        for journal_known, seq, missed in (
            (book.identity, 2, [3]), (book.identity, 3, []), (book.identity, 4, [1, 2, 3]), ("another", 2, [1, 2, 3]),
        ):
            found = book.missed({"journal": journal_known, "seq": seq})
            self.assertEqual([event["seq"] for event in found], missed, (journal_known, seq))
        self.assertEqual(len(book.missed({})), 3)

    def test_a_disk_that_is_full_at_midnight_loses_nothing_for_longer_than_that(self):
        book = self.open()
        book.intend(OWN, {})
        book.placed(OWN, "7")
        book.event({"kind": "deal", "row": {}})
        self.now += DAY_S
        journal.open = no_space
        try:
            for _ in range(2):
                with self.assertRaises(OSError):
                    book.event({"kind": "deal", "row": {}})
            self.assertEqual(book.client_order_id("7", ""), "", "what only reads goes on, and knows the day")
            self.assertEqual(book.client_order_id("", journal.remark_key(OWN)), OWN)
        finally:
            del journal.open
        self.assertEqual(book.event({"kind": "deal", "row": {}})["seq"], 2)
        self.assertEqual([event["seq"] for event in self.open().after(0)], [1, 2])

    def test_what_a_full_disk_took_half_of_is_not_there(self):
        book = self.open()
        book.event({"kind": "deal", "row": {}})
        whole = book._file
        book._file = HalfFull(whole)
        with self.assertRaises(OSError):
            book.event({"kind": "deal", "row": {"deal_id": "lost"}})
        with self.assertRaises(OSError):
            book.intend(OWN, {})
        self.assertIsNone(book.order(OWN))
        book.sent(OWN, 1)  # nobody reads it back: no reason to fail behind an order that is out
        book._file = whole
        self.assertEqual(book.event({"kind": "deal", "row": {"deal_id": "told"}})["seq"], 2)
        for again in (book, self.open()):
            self.assertEqual([event["row"].get("deal_id") for event in again.after(0)], [None, "told"])
            self.assertIsNone(again.order(OWN))

    def test_what_could_not_be_taken_away_again_swallows_nothing_that_comes_after(self):
        book = self.open()
        book.event({"kind": "deal", "row": {}})
        whole = book._file
        book._file = HalfFull(whole)
        book._file.truncate = no_space
        with self.assertRaises(OSError):
            book.event({"kind": "deal", "row": {"deal_id": "lost"}})
        book._file = whole  # there is room again
        book.intend(OWN, {})
        self.assertEqual(book.event({"kind": "deal", "row": {"deal_id": "told"}})["seq"], 2)
        again = self.open()
        self.assertEqual([event["row"].get("deal_id") for event in again.after(0)], [None, "told"])
        self.assertIsNotNone(again.order(OWN), "it may have been sent")

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

    def test_an_owner_whose_number_could_not_be_written_down_reads_and_sends_nothing(self):
        book = self.open()
        book.raise_epoch(3)
        replace, os.replace = os.replace, no_space
        try:
            book.raise_epoch(4)
            with self.assertRaises(OSError):
                book.intend(OWN, {})
            self.assertEqual(book.epoch, 4, "it is the owner all the same")
        finally:
            os.replace = replace
        self.assertIsNone(book.order(OWN))
        book.intend(OWN, {})
        self.assertEqual(self.open().epoch, 4, "written down before the order")

    def test_one_that_starts_on_a_full_disk_reads_and_sends_nothing(self):
        book = self.open()
        book.raise_epoch(3)
        book.intend(OWN, {})
        book.placed(OWN, "7")
        book.event({"kind": "deal", "row": {}})
        self.now += DAY_S
        book.close()
        whole = open

        def only_read(path, mode="r", *rest, **named):
            is_there = mode == "a+b" and os.path.exists(path)
            return whole(path, mode, *rest, **named) if is_there or mode[0] == "r" else no_space()

        journal.open = only_read
        try:
            self.book = book = journal.Journal(self.folder, lambda: self.now)
            book.raise_epoch(4)
            self.assertEqual(book.order(OWN)["order_id"], "7")
            self.assertEqual([event["seq"] for event in book.after(0)], [1])
            for write in (lambda: book.intend("2" + OWN[1:], {}), lambda: book.event({"kind": "deal", "row": {}})):
                with self.assertRaises(OSError):
                    write()
        finally:
            del journal.open
        self.assertEqual(book.event({"kind": "deal", "row": {}})["seq"], 2)
        book = self.open()
        self.assertEqual([event["seq"] for event in book.after(0)], [1, 2])
        self.assertEqual(book.epoch, 4)

    def test_one_process_holds_the_folder(self):
        self.open()
        with self.assertRaises(day_files.JournalHeld):
            journal.Journal(self.folder)
