"""Tests of the script's reports, greeting and market."""

import threading
from unittest import mock

from script_case import ASSET, NOW_MS, Odd, ScriptCase, Thing, order_thing


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

    def test_of_a_text_without_an_end_the_beginning_is_told(self):
        trade = self.trade()
        for endless in (u"\u59d4\u6258" * 5000000, b"\xce\xaf\xcd\xd0" * 5000000):
            self.lists["order"] = [order_thing(m_strOrderSysID="1", m_strCancelInfo=endless)]
            row = trade.query({"what": "orders"})["rows"][0]
            self.assertEqual(row["text"], u"\u59d4\u6258" * 500)

    def test_f853_a_terminal_in_a_locale_without_a_name_that_python_knows_still_tells_the_time(self):
        trade = self.trade()
        self.lists["order"] = [order_thing(m_strOrderSysID="1")]
        with mock.patch("locale.getlocale", side_effect=ValueError("unknown locale: zh-CN")):
            self.assertEqual(trade.query({"what": "orders"})["rows"][0]["time"], NOW_MS)

    def test_f813_what_stands_behind_the_end_of_a_text_is_no_part_of_it(self):
        trade = self.trade()
        plain = order_thing(m_strOrderSysID="1").__dict__
        self.lists["order"] = [
            order_thing(**dict((name, value + rest if isinstance(value, str) else value) for name, value in plain.items()))
            for rest in ("", "\0\0?")
        ]
        one, other = trade.query({"what": "orders"})["rows"]
        self.assertEqual(one, other)

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
            m_nCanUseVolume=100, m_dOpenPrice=11.5, m_strStockHolder="0123456789"
        )]
        row = {
            "code": "000001.SZ", "name": "平安", "quantity": 300, "sellable": 100, "cost": 11.5,
            "holder": "0123456789",
        }
        self.assertEqual(trade.query({"what": "positions"})["rows"], [row])

    def test_what_is_told_of_the_accounts_for_hong_kong_is_none_of_ours(self):
        trade = self.trade()
        for kind in (7, 11):
            trade.account(Thing(**dict(ASSET, m_nBrokerType=kind, m_dAvailable=0.0, m_dBalance=0.0)))
            trade.position(Thing(m_strAccountID="1", m_nBrokerType=kind, m_strInstrumentID="00700", m_strExchangeID="HGT"))
        self.assertEqual(self.told, [])
        for kind in (2, 0, 2147483647):
            trade.account(Thing(**dict(ASSET, m_nBrokerType=kind)))
        self.assertEqual([event["row"]["cash"] for event in self.told], [1000.0] * 3)

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
        self.sectors = {}
        terminal = self.names["Terminal"]("1", "STOCK")
        terminal.enter(Thing(
            get_full_tick=lambda codes: dict((code, self.ticks[code]) for code in codes if code in self.ticks),
            subscribe_whole_quote=lambda codes, callback: self.subscribed.append(codes) or len(self.subscribed),
            get_instrument_detail=lambda code: {"InstrumentName": "招商银行", "UpStopPrice": 39.6, "PreClose": None},
            get_stock_list_in_sector=lambda name: self.sectors.get(name),
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

    def test_f852_a_terminal_that_never_pushes_is_not_subscribed_again_and_again(self):
        self.names["SETTINGS"]["limits"] = {"renew_ms": 0}
        self.market.want({"codes": ["600036.SH"]})
        for second in range(10, 60):
            self.ticks["600036.SH"] = {"timetag": "20260811 10:30:%d" % second, "lastPrice": 36.5}
            told = self.market.poll({})
        self.assertEqual(len(self.subscribed), 5, "after 3, 6, 12 and 24 looks that were ahead")
        self.assertEqual(told["renewals"], 0, "it was not away")
        self.market.pushed({"600036.SH": {"timetag": "20260811 10:31:00", "lastPrice": 36.6}})
        for second in range(10, 13):
            self.ticks["600036.SH"] = {"timetag": "20260811 10:31:%d" % second, "lastPrice": 36.5}
            told = self.market.poll({})
        self.assertEqual((len(self.subscribed), told["renewals"]), (6, 1), "what it pushed before is forgotten")

    def test_where_nothing_is_pushed_codes_that_are_asked_for_again_are_no_more_codes(self):
        self.names["SETTINGS"]["limits"] = {"codes_max": 3}
        self.market._terminal.context.subscribe_whole_quote = None
        for _ in range(3):
            self.assertEqual(self.market.want({"codes": ["600036.SH", "000001.SZ", "600036.SH"]}), {"wanted": 2})
        with self.assertRaises(self.names["CallError"]):
            self.market.want({"codes": ["600036.SH", "510300.SH", "159915.SZ"]})

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

    def test_codes_of_the_sectors_and_none_is_a_failure(self):
        self.sectors = {"沪深A股": ["600036.SH"], "沪深ETF": ["510300.SH", "600036.SH"]}
        self.assertEqual(self.market.listed({}), {"codes": ["600036.SH", "510300.SH"]})
        self.sectors = {}
        with self.assertRaises(self.names["CallError"]):
            self.market.listed({})

    def test_instruments(self):
        found = self.market.instruments({"codes": ["600036.SH"]})["instruments"]["600036.SH"]
        self.assertEqual(found["name"], "招商银行")
        self.assertEqual((found["up"], found["down"], found["pre_close"], found["status"]), (39.6, 0.0, 0.0, None))

    def test_a_terminal_that_tells_no_code_at_all_is_no_terminal_that_knows_none(self):
        def away(code):
            if code != "600036.SH":
                raise RuntimeError("not connected")
            return {"InstrumentName": "招商银行"}
        self.market._terminal.context.get_instrument_detail = away
        with self.assertRaises(self.names["CallError"]):
            self.market.instruments({"codes": ["600001.SH", "600002.SH"]})
        found = self.market.instruments({"codes": ["600036.SH", "600002.SH"]})["instruments"]
        self.assertEqual(list(found), ["600036.SH"])
        self.assertEqual(self.market.instruments({"codes": []}), {"instruments": {}})
