"""Tests of the sidecar's market half: quotes, ticks, instruments, history."""

import unittest

import history
import lanes
import quotes
import subscriptions
import ticks
from sidecar_case import silent


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
        self.assertEqual(self.quotes.poll({})["renewals"], 0, "nothing was forgotten")
        self.assertEqual(self.subscriptions(), ["subscribe 600036.SH"] * 2)

    def test_f851_a_code_that_is_refused_keeps_no_other_from_being_subscribed_anew(self):
        self.quotes.want({"codes": ["600036.SH"]})
        number, self.data.number = self.data.number, -100
        self.assertRaises(lanes.CallError, self.quotes.want, {"codes": ["000001.SZ"]})
        self.quotes._later = lambda work: self.assertRaises(lanes.CallError, work)
        self.look(10, 2)
        self.assertEqual(self.quotes.poll({})["renewals"], 0, "a terminal that refuses has forgotten nothing")
        self.data.number = number
        self.quotes._later = self.later
        self.data.calls[:] = []
        self.look(13)
        self.assertEqual(self.subscriptions(), ["unsubscribe 1", "subscribe 600036.SH"])
        self.quotes.poll({})
        self.assertEqual(self.subscriptions()[2:], ["subscribe 000001.SZ"])

    def test_another_client_object_has_forgotten_everything(self):
        self.quotes.want({"codes": ["600036.SH"]})
        self.data.client = Client()
        self.quotes.poll({})
        self.assertEqual(self.quotes.poll({})["renewals"], 1)
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
        self.assertEqual((watched.missing, watched.is_due(0)), (["600036.SH"], False), "what is missing is another matter")
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

    def test_f625_levels_in_a_table_of_numbers_are_levels(self):
        class Table(list):
            def __bool__(self):
                raise ValueError("the truth value of an array is ambiguous")

        newest = ticks.Ticks()
        tick = {"time": 1698283800000, "lastPrice": 36.0, "bidPrice": Table([35.99, 35.98]), "askVol": Table([3])}
        self.assertTrue(newest.offer("600036.SH", tick), newest.refused())
        message, _ = newest.take()
        self.assertEqual(ticks.TICK.unpack(message["d"])[8:13], (35.99, 35.98, 0.0, 0.0, 0.0))

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

    def test_a_number_that_is_a_day_and_an_hour_in_digits_is_no_time_of_the_epoch(self):
        nine = 1698283800000.0  # 2023-10-26 09:30 in Shanghai
        for written, expected in (
            (20231026093000, nine), (20231026093000.0, nine), ("20231026093000", nine),
            (20231026093000950, nine + 950), ("20231026093000950", nine + 950),
        ):
            self.assertEqual(ticks.stamp_of({"time": written}), (expected, ""), written)
        for written in (20231326093000, 99999999999999, 1e17):
            self.assertEqual(ticks.stamp_of({"time": written})[0], 0, written)
        self.assertEqual(ticks.stamp_of({"time": 20231326093000})[1], "no time in 20231326093000")
        later = {"time": 20231326093000, "timetag": "20231026 09:30:00"}
        self.assertEqual(ticks.stamp_of(later), (nine, ""), "its text may still be one")

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

    def test_a_terminal_that_is_away_has_not_said_that_it_knows_none(self):
        with self.assertRaises(lanes.CallError) as raised:
            self.ask({"a": Exception("planted"), "b": Exception("planted")})
        self.assertEqual(raised.exception.code, "FAILED")
        self.assertEqual(self.ask({}), {})

    def test_a_release_without_it_says_so(self):
        found = quotes.Quotes(0, silent, silent, {}, silent)
        found._xtdata = object()
        with self.assertRaises(lanes.CallError) as raised:
            found.instruments({"codes": ["a"]})
        self.assertEqual(raised.exception.code, "UNSUPPORTED")


class SectorsTest(unittest.TestCase):
    def ask(self, sectors_known):
        class Known(Data):
            def get_stock_list_in_sector(self, name):
                found = sectors_known.get(name, [])
                if isinstance(found, Exception):
                    raise found
                return found

        found = quotes.Quotes(0, silent, silent, {}, silent)
        found._xtdata = Known()
        return found.listed({})["codes"]

    def test_each_code_of_what_can_be_traded_once_and_a_sector_that_fails_keeps_no_other(self):
        found = self.ask({"沪深A股": ["600036.SH", "000001.SZ"], "沪深ETF": ["510300.SH", "600036.SH"],
                          "京市A股": Exception("planted"), "沪深转债": None, "中金所": ["IF00.IF"]})
        self.assertEqual(found, ["600036.SH", "000001.SZ", "510300.SH"])

    def test_no_code_at_all_is_a_failure(self):
        with self.assertRaises(lanes.CallError) as raised:
            self.ask({})
        self.assertEqual(raised.exception.code, "FAILED")

    def test_a_release_without_sectors_says_so(self):
        found = quotes.Quotes(0, silent, silent, {}, silent)
        found._xtdata = object()
        with self.assertRaises(lanes.CallError) as raised:
            found.listed({})
        self.assertEqual(raised.exception.code, "UNSUPPORTED")


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
