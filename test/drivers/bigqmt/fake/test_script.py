"""Tests of the parts of the script that need no other process: python test_script.py <script>."""

import builtins
import io
import json
import os
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
with io.open(sys.argv.pop(1), encoding="gbk") as script:
    SOURCE = compile(script.read(), "script", "exec")

OWN = "0VP0TKE69TAHYMPHYR3JQDAC7T"
OTHER = "0VP0TKE69TAHYMPHYR3JQDAC8X"
ORDER = {
    "client_order_id": OWN, "code": "600036.SH", "order_type": 23, "quantity": 200, "price_type": 11,
    "price": 360000, "strategy": "grid",
}
NOW_MS = 1786415405000  # 2026-08-11 10:30:05 at the exchange


class Thing(object):
    def __init__(self, **fields):
        self.__dict__.update(fields)


class Odd(Thing):
    """Fields that raise when they are read."""

    def __getattribute__(self, name):
        if name in object.__getattribute__(self, "__dict__").get("odd", ()):
            raise UnicodeDecodeError("gbk", b"\xff", 0, 1, "illegal multibyte sequence")
        return object.__getattribute__(self, name)


def order_thing(**parts):
    fields = dict(
        m_strAccountID="1", m_strInstrumentID="600036", m_strExchangeID="SH", m_strRemark=OWN[-20:],
        m_strOrderSysID="", m_nOrderStatus=49, m_nDirection=48, m_nOffsetFlag=48, m_nOpType=23,
        m_nVolumeTotalOriginal=200, m_nVolumeTraded=0, m_nVolumeTotal=200, m_dLimitPrice=36.0,
        m_dTradedPrice=0.0, m_nErrorID=2147483647, m_strErrorMsg="", m_strCancelInfo="",
        m_strInsertDate="20260811", m_strInsertTime="103005", m_nOrderPriceType=50
    )
    return Odd(**dict(fields, **parts))


def deal_thing(**parts):
    fields = dict(
        m_strAccountID="1", m_strInstrumentID="600036", m_strExchangeID="SH", m_strRemark=OWN[-20:],
        m_strOrderSysID="77", m_strTradeID="D1", m_nDirection=48, m_nOffsetFlag=48, m_nVolume=200, m_dPrice=36.0,
        m_dTradeAmount=7200.0, m_strTradeDate="20260811", m_strTradeTime="10:30:06"
    )
    return Odd(**dict(fields, **parts))


ASSET = dict(m_strAccountID="1", m_dAvailable=1000.0, m_dFrozenCash=0.0, m_dInstrumentValue=0.0, m_dBalance=1000.0)


class ScriptCase(unittest.TestCase):
    """A script in names of its own, beside functions of a terminal that the test answers for."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.lists = {"account": [Thing(**ASSET)], "order": [], "deal": [], "position": []}
        self.passed = []
        self.canceled = []
        self.on_pass = lambda: None
        self.now_ms = NOW_MS
        self.told = []
        self.names = self.load()

    def load(self):
        names = {
            "__name__": "strategy", "account": "1", "accountType": "STOCK", "passorder": self.pass_order,
            "cancel": lambda number, *_: self.canceled.append(number) is None,
            "get_trade_detail_data": lambda account, kind, what: self.lists[what],
        }
        exec(SOURCE, names)
        names["SETTINGS"].update(folder=self.folder, account_id="1", account_type="STOCK")
        names["wall_ms"] = lambda: self.now_ms
        names["print"] = lambda *_: None
        return names

    def pass_order(self, *given):
        self.passed.append(given)
        self.on_pass()

    def trade(self):
        """A trade desk in a new life of the script; the journal is the one of before."""
        if getattr(self, "journal", None) is not None:
            self.journal.close()
        names = self.names
        self.awake = names["Awake"]()
        self.terminal = names["Terminal"]("1", "STOCK")
        self.terminal.enter(Thing())
        self.journal = names["Journal"](os.path.join(self.folder, "journal"), names["wall_s"])
        trade = names["Trade"](self.terminal, self.journal, lambda event: self.told.append(event), self.record, self.awake, lambda *_: None)
        trade.connect({"account_id": "1"})
        self.told = []
        return trade

    def record(self, event):
        self.told.append(self.journal.event(event))

    def pass_ms(self, ms):
        """In steps as the timer makes them, on both clocks."""
        self.now_ms += ms
        self.awake.ms += ms

    def fails(self, code, work, *arguments):
        with self.assertRaises(self.names["CallError"]) as caught:
            work(*arguments)
        self.assertEqual(caught.exception.code, code)
        return caught.exception.text

    def kinds(self):
        return [event["kind"] for event in self.told]


class FieldsTest(ScriptCase):
    def test_times_in_every_spelling(self):
        shanghai_ms = self.names["shanghai_ms"]
        for day, moment in (
            ("20260811", "093005"), ("20260811", "93005"), ("2026-08-11", "09:30:05"), ("20260811", "09:30:05.250"),
            ("", "20260811093005"), ("", "2026-08-11 09:30:05"), ("20260811093005", ""),
        ):
            self.assertEqual(shanghai_ms(day, moment), NOW_MS - 3600000, (day, moment))
        for day, moment in (("", ""), ("", "093005"), ("20261345", "093005"), ("20260811", "996100")):
            self.assertEqual(shanghai_ms(day, moment), 0, (day, moment))

    def test_the_side_is_never_read_from_the_direction(self):
        order_row = self.names["order_row"]
        for fields, side in (
            (dict(m_nDirection=48, m_nOffsetFlag=49, m_nOpType=24), 24),
            (dict(m_nDirection=49, m_nOffsetFlag=48, m_nOpType=23), 23),
            (dict(m_nOffsetFlag=2147483647, m_nOpType=34), 24),
            (dict(m_nOffsetFlag=-1, m_nOpType=33), 23),
            (dict(m_nOffsetFlag=None, m_nOpType=32), 32),
            (dict(m_nOffsetFlag=None, m_nOpType=None), 0),
        ):
            self.assertEqual(order_row(order_thing(**fields))["order_type"], side, fields)

    def test_what_stands_for_nothing_is_nothing(self):
        row = self.names["order_row"](order_thing(m_dTradedPrice=2147483647, m_strCancelInfo=None, m_nOrderStatus=86))
        self.assertEqual((row["traded_price"], row["text"], row["status"]), (0.0, "", 255))
        row = self.names["order_row"](order_thing(m_nOrderStatus=57, m_strCancelInfo="[COUNTER] 可用不足"))
        self.assertEqual((row["status"], row["text"]), (57, "[COUNTER] 可用不足"))
        self.assertEqual(self.names["number_text"](Thing(m_strOrderSysID=None)), "")

    def test_a_tick_tells_its_time_as_number_or_text(self):
        stamp_of = self.names["stamp_of"]
        for tick, stamp in (
            ({"time": NOW_MS}, NOW_MS), ({"timetag": "20260811 10:30:05"}, NOW_MS),
            ({"timetag": "20260811 10:30:05.250"}, NOW_MS + 250), ({"timetag": "20260811103005250"}, NOW_MS + 250),
            ({"time": 0, "timetag": "20260811 10:30:05"}, NOW_MS), ({"time": NOW_MS // 1000}, NOW_MS),
            ({}, 0), ({"timetag": "never"}, 0), ({"time": float("nan")}, 0),
        ):
            self.assertEqual(stamp_of(tick)[0], stamp, tick)


class OrderTest(ScriptCase):
    def test_an_order_is_handed_over_once_whatever_comes_of_it(self):
        trade = self.trade()
        self.assertEqual(trade.submit(ORDER), {"state": "unknown", "order_id": "", "text": "", "is_sent": True})
        self.assertEqual(self.passed[0][:10], (23, 1101, "1", "600036.SH", 11, 36.0, 200, "grid", 2, OWN[-20:]))
        self.assertNotIn("is_sent", trade.submit(ORDER))
        self.assertNotIn("is_sent", self.trade().submit(ORDER), "nor after a restart")
        self.assertEqual(len(self.passed), 1)

    def test_the_list_is_not_looked_at_for_ever(self):
        trade = self.trade()
        trade.submit(ORDER)
        looks = []
        detail = self.terminal.detail
        self.terminal.detail = lambda what: looks.append(what) or detail(what)
        self.pass_ms(60000)
        for second in range(1, 10):
            trade.watch(second * 10000.0)
        self.assertEqual(looks.count("order"), 1)

    def test_a_calendar_that_jumps_over_days_does_not_make_an_order_new(self):
        trade = self.trade()
        trade.submit(ORDER)
        self.now_ms += 3 * 86400000
        trade.deal(deal_thing(m_strRemark=""))
        self.assertEqual(trade.submit(ORDER), {"state": "unknown", "order_id": "", "text": ""})
        self.assertEqual(len(self.passed), 1)

    def test_passorder_that_raises_leaves_the_order_in_doubt(self):
        def fail():
            raise RuntimeError("in the middle")

        self.on_pass = fail
        trade = self.trade()
        self.assertEqual(trade.submit(ORDER), {"state": "unknown", "order_id": "", "text": ""})
        self.fails("STANDS", trade.barrier, {})
        self.assertNotIn("is_sent", trade.submit(ORDER))
        self.assertEqual(len(self.passed), 1)

    def test_without_a_login_nothing_is_handed_over(self):
        trade = self.trade()
        self.lists["account"] = []
        self.fails("NOT_CONNECTED", trade.submit, ORDER)
        self.assertEqual((self.passed, self.journal.order(OWN)), ([], None))

    def test_a_margin_account_has_operations_of_its_own(self):
        self.names["SETTINGS"]["account_type"] = "CREDIT"
        trade = self.trade()
        self.terminal.account_type = "CREDIT"
        trade.submit(ORDER)
        trade.submit(dict(ORDER, client_order_id=OTHER, order_type=24))
        self.assertEqual([given[0] for given in self.passed], [33, 34])

    def test_it_is_placed_when_a_row_bears_its_remark_and_a_number(self):
        trade = self.trade()
        trade.submit(ORDER)
        trade.order(order_thing())
        self.assertEqual(self.told, [], "a row without a number is not told")
        self.fails("STANDS", trade.barrier, {})
        trade.order(order_thing(m_strOrderSysID="77", m_nOrderStatus=50))
        self.assertEqual(self.kinds(), ["placed", "order"])
        self.assertEqual(self.told[1]["row"]["strategy"], "grid")
        self.assertEqual(trade.barrier({}), {})

    def test_without_a_callback_the_list_tells_its_number(self):
        trade = self.trade()
        trade.submit(ORDER)
        self.lists["order"] = [order_thing(m_strOrderSysID="77", m_nOrderStatus=50)]
        trade.watch(1e9)
        self.assertEqual(self.kinds(), ["placed"])

    def test_one_that_never_shows_holds_the_barrier_for_the_settle_time(self):
        trade = self.trade()
        trade.submit(ORDER)
        self.pass_ms(29999)
        self.fails("STANDS", trade.barrier, {})
        self.pass_ms(1)
        self.assertEqual(trade.barrier({}), {})

    def test_a_calendar_that_jumps_does_not_shorten_the_wait(self):
        trade = self.trade()
        trade.submit(ORDER)
        self.now_ms += 3600000
        self.pass_ms(5000)
        self.fails("STANDS", trade.barrier, {})
        self.now_ms -= 7200000
        self.pass_ms(25000)
        self.assertEqual(trade.barrier({}), {}, "nor does one that is set back prolong it for hours")

    def test_while_the_thread_stands_nothing_is_waited_for(self):
        trade = self.trade()
        self.awake.tick(0)
        trade.submit(ORDER)
        self.now_ms += 60000
        self.awake.tick(60000)
        self.fails("STANDS", trade.barrier, {})

    def test_the_wait_begins_anew_in_a_new_life(self):
        self.trade().submit(ORDER)
        self.now_ms += 3600000
        trade = self.trade()
        self.fails("STANDS", trade.barrier, {})
        self.pass_ms(30000)
        self.assertEqual(trade.barrier({}), {})

    def test_one_that_gets_no_number_is_told_under_a_name_that_it_keeps(self):
        trade = self.trade()
        trade.submit(ORDER)
        self.lists["order"] = [order_thing()]
        self.assertEqual(trade.query({"what": "orders"})["rows"], [])
        self.pass_ms(29999)
        self.fails("STANDS", trade.barrier, {})
        self.pass_ms(1)
        self.assertEqual(trade.barrier({}), {})
        name = trade.query({"what": "orders"})["rows"][0]["order_id"]
        self.assertEqual(name[:4], "row:")
        self.fails("FAILED", trade.cancel, {"order_id": name})
        self.lists["order"] = [order_thing(m_strOrderSysID="77", m_nOrderStatus=50)]
        trade.deal(deal_thing())
        for life in (trade, self.trade()):
            self.assertEqual(life.query({"what": "orders"})["rows"][0]["order_id"], name)
            self.assertEqual(life.cancel({"order_id": name}), {})
        self.assertEqual(self.canceled, ["77", "77"])

    def test_one_that_ends_without_a_number_is_refused_with_the_reason(self):
        trade = self.trade()
        trade.submit(ORDER)
        trade.order(order_thing(m_nOrderStatus=57, m_strCancelInfo="资金不足"))
        self.assertEqual([(event["kind"], event["text"]) for event in self.told], [("refused", "资金不足")])
        self.assertEqual(trade.barrier({}), {})

    def test_an_order_error_refuses_what_no_row_shows(self):
        trade = self.trade()
        trade.submit(ORDER)
        trade.order_error(Thing(strategyName="grid_&&&_" + OTHER[-20:], orderCode="600036.SH"), "no")
        self.assertEqual(self.told, [], "somebody else's")
        trade.order_error(Thing(strategyName="grid_&&&_" + OWN[-20:]), "指定价 无效")
        self.assertEqual([(event["kind"], event["text"]) for event in self.told], [("refused", "指定价 无效")])
        self.assertEqual(trade.submit(ORDER)["state"], "rejected")

    def test_an_order_error_counts_less_than_a_row(self):
        trade = self.trade()
        trade.submit(ORDER)
        self.lists["order"] = [order_thing(m_strOrderSysID="77", m_nOrderStatus=50)]
        trade.order_error(Thing(strategyName=OWN[-20:]), "no")
        self.assertEqual(self.kinds(), ["placed"])

    def test_a_call_back_inside_passorder_is_heard(self):
        trade = self.trade()
        self.on_pass = lambda: trade.order_error(Thing(strategyName=OWN[-20:]), "指定价 无效")
        self.assertEqual(trade.submit(ORDER)["state"], "rejected")

    def test_a_deal_that_is_told_again_is_written_down_once(self):
        trade = self.trade()
        trade.submit(ORDER)
        trade.deal(deal_thing())
        trade.deal(deal_thing())
        trade = self.trade()
        trade.deal(deal_thing())
        self.assertEqual(self.told, [{"kind": "deal", "row": self.told[0]["row"]}], "told on, without a number")
        self.assertEqual(len([e for e in self.journal.after(0) if e["kind"] == "deal"]), 1)

    def test_a_cancel_needs_an_order_that_stands_and_an_hour_that_takes_it(self):
        trade = self.trade()
        self.lists["order"] = [order_thing(m_strOrderSysID="77", m_nOrderStatus=50, m_strRemark="")]
        self.assertEqual(trade.cancel({"order_id": "77"}), {})
        self.fails("FAILED", trade.cancel, {"order_id": "78"})
        self.lists["order"][0].m_nOrderStatus = 54
        self.fails("FAILED", trade.cancel, {"order_id": "77"})
        self.lists["order"][0].m_nOrderStatus = 50
        self.now_ms += 7 * 3600000
        self.fails("FAILED", trade.cancel, {"order_id": "77"})
        self.assertEqual(self.canceled, ["77"])


class ReportTest(ScriptCase):
    def test_one_unreadable_field_does_not_lose_the_list(self):
        trade = self.trade()
        self.lists["order"] = [
            order_thing(m_strOrderSysID="1", odd=("m_strCancelInfo", "m_strRemark", "m_nOrderPriceType")),
            order_thing(m_strOrderSysID="2", odd=("m_nVolumeTraded",)),
            order_thing(m_strOrderSysID="3", m_strRemark=""),
        ]
        answer = trade.query({"what": "orders"})
        self.assertEqual([row["order_id"] for row in answer["rows"]], ["1", "3"])
        self.assertEqual(answer["left_out"], ["委托 600036 2: Unreadable: m_nVolumeTraded"])
        trade.order(order_thing(odd=("m_strInstrumentID",)))
        self.assertEqual(self.kinds()[-1], "left_out", "of a push it is told, so that somebody asks")

    def test_orders_of_others_are_shown_with_or_without_a_number(self):
        trade = self.trade()
        self.lists["order"] = [order_thing(m_strRemark="", m_strOrderSysID="9"), order_thing(m_strRemark="")]
        rows = trade.query({"what": "orders"})["rows"]
        self.assertEqual([row["client_order_id"] for row in rows], ["", ""])
        self.assertEqual(rows[0]["order_id"], "9")
        self.assertEqual(rows[1]["order_id"], trade.query({"what": "orders"})["rows"][1]["order_id"])
        self.assertRegex(rows[1]["order_id"], "^row:600036.SH:23:")

    def test_an_empty_list_counts_only_while_the_account_answers(self):
        trade = self.trade()
        self.assertEqual(trade.query({"what": "orders"})["rows"], [])
        self.lists["account"] = []
        for what in ("orders", "deals", "positions", "asset"):
            self.fails("FAILED", trade.query, {"what": what})
        self.lists["account"] = None
        self.fails("FAILED", trade.query, {"what": "asset"})

    def test_off_the_strategy_thread_nothing_is_believed(self):
        trade = self.trade()
        found = []

        def elsewhere():
            try:
                trade.query({"what": "orders"})
            except self.names["CallError"] as error:
                found.append(error.code)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        self.assertEqual(found, ["FAILED"])

    def test_cash_that_cannot_be_read_is_no_cash_of_nothing(self):
        trade = self.trade()
        self.lists["account"] = [Odd(odd=("m_dAvailable",), **ASSET)]
        self.fails("FAILED", trade.query, {"what": "asset"})

    def test_a_position_has_its_cost_and_what_may_be_sold(self):
        trade = self.trade()
        self.lists["position"] = [Thing(
            m_strInstrumentID="000001", m_strExchangeID="SZ", m_strInstrumentName=b"\xc6\xbd\xb0\xb2", m_nVolume=300,
            m_nCanUseVolume=100, m_dOpenPrice=11.5
        )]
        row = {"code": "000001.SZ", "name": "平安", "quantity": 300, "sellable": 100, "cost": 11.5}
        self.assertEqual(trade.query({"what": "positions"})["rows"], [row])

    def test_a_login_that_is_lost_is_told(self):
        trade = self.trade()
        self.lists["account"] = []
        for at in (10000, 20000, 30000):
            trade.watch(at)
        self.assertEqual(self.kinds(), ["disconnected"])
        self.fails("NOT_CONNECTED", trade.barrier, {})

    def test_another_account_is_refused(self):
        trade = self.trade()
        self.assertIn("another account", self.fails("FAILED", trade.connect, {"account_id": "2"}))
        self.fails("FAILED", trade.connect, {"account_id": "1", "account_type": "CREDIT"})
        self.names["account"] = "2"
        self.fails("FAILED", trade.connect, {"account_id": "1"})


class GreetingTest(ScriptCase):
    def test_a_proof_of_odd_signs_is_a_wrong_one(self):
        hello = {"t": "hello", "magic": "steward-xt", "version": [1, 1], "nonce": "n", "proof": "\u00e9"}
        self.assertEqual(self.names["objection"](hello, "nonce", "token")["code"], "TOKEN")

    def test_the_type_of_the_account_may_be_told_as_a_number(self):
        for told, is_right in (("stock", True), (2, True), ("CREDIT", False), (3, False), ("", True)):
            self.names["accountType"] = told
            self.assertEqual(self.names["Terminal"]("1", "STOCK").objection() is None, is_right, told)

    def test_who_breaks_a_session_breaks_no_other(self):
        said = []
        made = []

        class Session(object):
            is_closed = False
            role = ""
            calls = ()

            def pump(self, now_ms):
                made.append(self)
                raise KeyError("odd")

            def close(self, reason):
                self.is_closed = True

        class Door(object):
            def knock(self):
                return None

            def beat(self, roles):
                said.append("beat")

        desk = self.names["Desk"](Door(), None, {}, lambda *_: None)
        desk._strangers = [Session(), Session()]
        desk.pump(0)
        self.assertEqual((len(made), said, desk._strangers), (2, ["beat"], []))


class MarketTest(ScriptCase):
    def setUp(self):
        ScriptCase.setUp(self)
        self.ticks = {}
        self.subscribed = []
        self.rung = []
        terminal = self.names["Terminal"]("1", "STOCK")
        terminal.enter(Thing(
            get_full_tick=lambda codes: dict((code, self.ticks[code]) for code in codes if code in self.ticks),
            subscribe_whole_quote=lambda codes, callback: self.subscribed.append(codes) or len(self.subscribed),
            get_instrument_detail=lambda code: {"InstrumentName": "招商银行", "UpStopPrice": 39.6, "PreClose": None},
            get_market_data_ex=lambda *given: {given[1][0]: self.table}
        ))
        self.market = self.names["Market"](terminal, self.rung.append, lambda *_: None)

    def taken(self):
        message = self.market.take()
        layout = self.names["TICK"]
        return dict(
            (code, layout.unpack_from(message["d"], at * layout.size)) for at, code in enumerate(message["c"])
        )

    def test_what_is_wanted_is_subscribed_and_looked_at(self):
        self.ticks["600036.SH"] = {"timetag": "20260811 10:30:05", "lastPrice": 36.5, "volume": 3, "askVol": [2]}
        self.market.want({"codes": ["600036.SH"]})
        found = self.taken()["600036.SH"]
        self.assertEqual((found[0], found[1], found[6], found[23]), (NOW_MS, 36.5, 300, 200))
        self.market.poll({})
        self.assertEqual(self.taken(), {}, "an unchanged quote is no news")
        self.market.pushed({"600036.SH": [{"timetag": "20260811 10:30:08", "lastPrice": 36.6}]})
        self.market.pushed({"600036.SH": {"timetag": "20260811 10:30:02", "lastPrice": 1.0}, "x": None})
        self.assertEqual(self.taken()["600036.SH"][1], 36.6)
        self.market.begin_again()
        self.assertEqual(self.subscribed, [["600036.SH"]] * 2)

    def test_a_subscription_that_brings_nothing_is_made_again(self):
        self.market.want({"codes": ["600036.SH"]})
        for second in range(8):
            self.ticks["600036.SH"] = {"timetag": "20260811 10:30:0%d" % second, "lastPrice": 36.5}
            self.market.poll({})
        self.assertEqual(self.subscribed, [["600036.SH"]] * 2, "once, and not with every look")

    def test_history_by_columns_or_index(self):
        class Table(dict):
            index = ["20260810", "20260811000000"]

            def __len__(self):
                return 2

        columns = ("open", "high", "low", "close", "volume", "amount")
        self.table = Table((name, [1.0, 2.0]) for name in columns)
        rows = self.market.history({"code": "600036.SH", "period": "1d", "start": "", "end": ""})["rows"]
        self.assertEqual(rows[0], [1786291200000.0, 1.0, 1.0, 1.0, 1.0, 100.0, 1.0])
        self.table = Table(self.table, time=[1786291200000, 1786377600])
        self.assertEqual([row[0] for row in self.market.history({"code": "600036.SH", "period": "1d"})["rows"]],
                         [1786291200000.0, 1786377600000.0])

    def test_instruments(self):
        found = self.market.instruments({"codes": ["600036.SH"]})["instruments"]["600036.SH"]
        self.assertEqual(found["name"], "招商银行")
        self.assertEqual((found["up"], found["down"], found["pre_close"], found["status"]), (39.6, 0.0, 0.0, None))


class FileLineTest(ScriptCase):
    def setUp(self):
        ScriptCase.setUp(self)
        self.door = self.names["FileDoor"](self.folder, lambda *_: None)
        self.inbox = os.path.join(self.folder, "files", "cmd")
        self.outbox = os.path.join(self.folder, "files", "out")

    def put(self, number, value, session="t" + "0" * 16):
        self.names["put_file"](self.inbox, "%s-%08d" % (session, number), value)

    def lost(self, line):
        with self.assertRaises(self.names["LineLost"]):
            line.read(4096)

    def test_a_session_opens_with_its_first_file_and_is_read_in_order(self):
        self.put(2, {"t": "hello"})
        self.assertIsNone(self.door.knock())
        self.assertEqual(os.listdir(self.inbox), [], "what never opened in this life is not carried out")
        self.put(1, {"t": "open"})
        line = self.door.knock()
        self.put(3, {"t": "b"})
        self.assertEqual(line.read(4096), [], "one is missing")
        self.put(2, {"t": "a"})
        self.assertEqual(line.read(4096), [{"t": "a"}, {"t": "b"}])
        self.assertEqual(os.listdir(self.inbox), [])
        self.put(1, {"t": "open"})
        self.assertIsNone(self.door.knock(), "it opens once")

    def test_what_is_told_lies_whole_in_numbered_files(self):
        self.put(1, {"t": "open"})
        line = self.door.knock()
        line.write({"t": "ticks", "c": ["600036.SH"], "d": b"\x00\xff"})
        line.flush()
        name = "t" + "0" * 16
        with io.open(os.path.join(self.outbox, name + "-00000001.json")) as file:
            self.assertEqual(json.load(file)["d"], "AP8=")
        self.put(2, {"t": "call", "m": "submit"})
        line.close("another took over")
        self.assertEqual(os.listdir(self.inbox), [], "not carried out")
        self.assertIn(name + "-99999999.json", os.listdir(self.outbox))

    def test_whoever_has_left_is_not_served(self):
        self.put(1, {"t": "open"})
        line = self.door.knock()
        self.put(2, {"t": "call", "m": "submit"})
        self.put(99999999, {"t": "close"})
        self.lost(line)

    def test_one_who_does_not_read_is_given_up(self):
        self.names["SETTINGS"]["limits"] = {"files_max": 3}
        self.put(1, {"t": "open"})
        line = self.door.knock()
        for number in range(3):
            line.write({"n": number})
            line.flush()
        line.write({"n": 3})
        with self.assertRaises(self.names["LineLost"]):
            line.flush()

    def test_the_heartbeat_shows_life(self):
        seen = []
        for _ in range(2):
            self.door.beat({})
            with io.open(os.path.join(self.folder, "files", "heartbeat.json")) as file:
                seen.append(json.load(file))
        self.assertEqual([beat["n"] for beat in seen], [1, 2])
        self.assertEqual(seen[0]["life"], seen[1]["life"])


class Context(object):
    def set_account(self, account_id):
        pass

    def run_time(self, name, period, start):
        pass

    def get_full_tick(self, codes):
        return {}


class LifeTest(ScriptCase):
    def setUp(self):
        ScriptCase.setUp(self)
        self.names["SETTINGS"].update(transport="socket", port=0, token="t")
        self.names["SCRIPT"].__init__()

    def tearDown(self):
        self.names["stop"](Context())

    def test_init_runs_again_and_keeps_what_stands(self):
        self.names["init"](Context())
        script = self.names["SCRIPT"]
        port, desk = script.port, script._desk
        self.assertTrue(port > 0)
        self.names["init"](Context())
        self.assertEqual((script.port, script._desk), (port, desk))

    def test_a_new_copy_takes_over_and_the_old_one_falls_silent(self):
        self.names["init"](Context())
        old = self.names
        port = old["SCRIPT"].port
        new = self.load()
        new["SETTINGS"].update(transport="socket", port=port, token="t")
        new["SCRIPT"].__init__()
        new["init"](Context())
        self.assertEqual((new["SCRIPT"].port, old["SCRIPT"].is_open), (port, False))
        old["steward_tick"](Context())
        self.assertFalse(old["SCRIPT"].is_open)
        new["stop"](Context())
        new["steward_tick"](Context())
        self.assertFalse(new["SCRIPT"].is_open, "a timer that outlives the strategy opens nothing")
        new["init"](Context())
        self.assertTrue(new["SCRIPT"].is_open)
        new["stop"](Context())

    def test_news_that_could_not_be_taken_are_asked_for(self):
        """A full disk: nothing can be written down, so whoever listens must look at the lists."""
        self.names["init"](Context())
        script = self.names["SCRIPT"]
        told = []
        script._desk.tell = told.append

        def fail(_event):
            raise OSError("no space left")

        script._journal.event = fail
        self.names["deal_callback"](Context(), deal_thing())
        self.assertEqual([event["kind"] for event in told], ["disconnected"])

    def test_what_comes_on_another_thread_is_copied_and_taken_at_the_next_tick(self):
        self.names["init"](Context())
        script = self.names["SCRIPT"]
        thing = order_thing(m_strOrderSysID="9", m_strRemark="", m_nOrderStatus=50, odd=("m_strCancelInfo",))
        thread = threading.Thread(target=self.names["order_callback"], args=(Context(), thing))
        thread.start()
        thread.join()
        thing.m_nOrderStatus = 56  # the terminal uses its object again
        self.assertEqual(script._journal.after(0), [])
        script._ticked_ms = None
        self.names["steward_tick"](Context())
        self.assertEqual([event["row"]["status"] for event in script._journal.after(0)], [50])

    def test_what_fails_inside_does_not_reach_the_terminal(self):
        self.names["init"](Context())
        for name in ("order_callback", "deal_callback", "position_callback", "account_callback"):
            self.names[name](Context(), Thing())
        self.names["orderError_callback"](Context(), None, None)

    def test_a_folder_that_cannot_be_made_is_said_on_the_panel(self):
        said = []
        self.names["print"] = said.append
        with io.open(os.path.join(self.folder, "file"), "w"):
            pass
        self.names["SETTINGS"]["folder"] = os.path.join(self.folder, "file", "under")
        self.names["SCRIPT"].__init__()
        self.names["init"](Context())
        self.assertIn("cannot serve yet", "".join(said))

    def test_a_port_that_is_taken_is_tried_again(self):
        self.names["init"](Context())
        port = self.names["SCRIPT"].port
        other = self.load()
        other["SETTINGS"].update(folder=tempfile.mkdtemp(), transport="socket", port=port, token="t", limits={"retry_ms": 0, "tick_ms": 0})
        other["SCRIPT"].__init__()
        other["init"](Context())
        self.assertFalse(other["SCRIPT"].is_open)
        self.names["stop"](Context())
        other["steward_tick"](Context())
        self.assertEqual(other["SCRIPT"].port, port)
        other["stop"](Context())


class ForbiddenSocketsTest(ScriptCase):
    """A terminal whose broker lets scripts import no socket."""

    def load(self):
        allow = builtins.__import__

        def forbid(name, *rest):
            if name == "socket":
                raise ImportError("this module is not allowed")
            return allow(name, *rest)

        builtins.__import__ = forbid
        try:
            return ScriptCase.load(self)
        finally:
            builtins.__import__ = allow

    def serve(self, transport):
        self.names["SETTINGS"].update(transport=transport, port=0, token="t")
        self.names["SCRIPT"].__init__()
        said = []
        self.names["SCRIPT"].log = lambda level, text: said.append(text)
        self.names["init"](Context())
        is_open = self.names["SCRIPT"].is_open
        self.names["stop"](Context())
        return is_open, said

    def test_files_need_none(self):
        self.assertTrue(self.serve("files")[0])

    def test_a_port_is_refused_with_the_mend(self):
        is_open, said = self.serve("socket")
        self.assertFalse(is_open)
        self.assertIn("bigqmt.transport", said[0])


if __name__ == "__main__":
    unittest.main(verbosity=0)
