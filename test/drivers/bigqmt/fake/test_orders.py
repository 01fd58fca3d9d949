"""Tests of fields and orders of the script."""

from script_case import NOW_MS, ORDER, OTHER, OWN, ScriptCase, Thing, deal_thing, order_thing


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

    def test_what_cannot_be_written_down_is_not_handed_over_and_is_no_order_in_doubt(self):
        def fail(*_):
            raise OSError("no space left")

        trade = self.trade()
        self.journal._append = fail
        self.assertIn("no space left", self.fails("NOT_STARTED", trade.submit, ORDER))
        del self.journal._append
        self.assertEqual((self.passed, self.journal.order(OWN)), ([], None))
        self.assertEqual(trade.barrier({}), {})
        trade.submit(ORDER)
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

    def test_two_that_are_alike_and_get_no_number_have_names_of_their_own(self):
        trade = self.trade()
        for own in (OWN, OTHER):
            trade.submit(dict(ORDER, client_order_id=own))
        self.lists["order"] = [
            order_thing(m_strOrderSysID=number, m_strRemark=own[-20:]) for own, number in ((OWN, "None"), (OTHER, "0000"))
        ]
        self.assertEqual(trade.query({"what": "orders"})["rows"], [], "what stands for no number is none")
        self.pass_ms(60000)
        rows = trade.query({"what": "orders"})["rows"]
        self.assertEqual([row["client_order_id"] for row in rows], [OWN, OTHER])
        self.assertEqual([row["order_id"][:4] for row in rows], ["row:", "row:"])
        self.assertNotEqual(rows[0]["order_id"], rows[1]["order_id"])

    def test_one_that_is_listed_without_a_number_and_then_no_more_is_waited_for_as_one_without_a_row(self):
        trade = self.trade()
        trade.submit(ORDER)
        trade.order(order_thing())
        trade.order_error(Thing(strategyName=OWN[-20:]), "no")
        self.assertEqual(self.told, [], "a list may be behind the row")
        self.pass_ms(29999)
        self.fails("STANDS", trade.barrier, {})
        self.lists["order"] = [order_thing()]
        self.fails("STANDS", trade.barrier, {})
        self.lists["order"] = []
        self.fails("STANDS", trade.barrier, {})
        self.pass_ms(29999)
        self.fails("STANDS", trade.barrier, {})
        self.pass_ms(1)
        self.assertEqual(trade.barrier({}), {})

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

    def test_fills_of_two_exchanges_with_the_same_numbers_in_one_second_are_two(self):
        trade = self.trade()
        for _ in range(2):
            for code in (("600036", "SH"), ("000001", "SZ")):
                trade.deal(deal_thing(m_strRemark="", m_strInstrumentID=code[0], m_strExchangeID=code[1]))
        written = [event["row"]["code"] for event in self.journal.after(0) if event["kind"] == "deal"]
        self.assertEqual(written, ["600036.SH", "000001.SZ"])

    def test_one_without_a_time_that_is_told_again_is_written_down_once_too(self):
        undated = deal_thing(m_strTradeDate="", m_strTradeTime="")
        trade = self.trade()
        trade.submit(ORDER)
        trade.deal(undated)
        self.assertEqual(self.journal.after(0)[-1]["row"]["time"], NOW_MS, "when it was heard")
        self.pass_ms(60000)
        for _ in range(2):
            trade = self.trade()
            trade.deal(undated)
        self.assertEqual(len([e for e in self.journal.after(0) if e["kind"] == "deal"]), 1)

    def test_two_fills_that_are_alike_are_two_and_one_that_is_told_again_is_one(self):
        trade = self.trade()
        trade.submit(ORDER)
        trade.order(order_thing(m_strOrderSysID="77", m_nOrderStatus=50))
        self.told = []
        for number in ("", "0", None, "None"):
            self.lists["deal"] = [deal_thing(m_strTradeID=number), deal_thing(m_strTradeID="D9"), deal_thing(m_strTradeID=number)]
            ids = [row["deal_id"] for row in trade.query({"what": "deals"})["rows"]]
            first = "row:77:%d:200:36.0" % (NOW_MS + 1000)
            self.assertEqual(ids, [first, "D9", first + "#2"], "the same from list to list")
        self.lists["deal"] = [deal_thing(m_strTradeID="", m_strOrderSysID="78")]
        ids = [row["deal_id"] for row in trade.query({"what": "deals"})["rows"]]
        self.assertEqual(ids, [first], "also when the terminal numbers its orders anew")
        for _ in range(2):
            trade.deal(deal_thing(m_strTradeID=""))
        self.assertEqual(self.kinds(), ["deal", "left_out", "deal", "left_out"], "only the list can tell")
        self.assertEqual(set(event["row"]["deal_id"] for event in self.told[::2]), set([first]))
        self.assertEqual(len([e for e in self.journal.after(0) if e["kind"] == "deal"]), 1)

    def test_a_fill_with_no_number_at_all_of_an_order_of_ours_waits_for_a_name_that_stays(self):
        trade = self.trade()
        trade.submit(ORDER)
        self.lists["deal"] = [deal_thing(m_strTradeID="", m_strOrderSysID="")]
        self.assertEqual(len(trade.query({"what": "deals"})["left_out"]), 1)
        trade.order(order_thing(m_strOrderSysID="77", m_nOrderStatus=50))
        answer = trade.query({"what": "deals"})
        self.assertEqual((answer["rows"][0]["deal_id"][:7], answer["left_out"]), ("row:77:", []))

    def test_f626_a_cancel_is_of_ours_where_another_exchange_has_given_its_number_too(self):
        trade = self.trade()
        trade.submit(ORDER)
        elsewhere = dict(m_strInstrumentID="000001", m_strExchangeID="SZ", m_strOrderSysID="77", m_strRemark="")
        self.lists["order"] = [
            order_thing(m_strOrderSysID="77", m_nOrderStatus=54), order_thing(m_nOrderStatus=50, **elsewhere),
        ]
        found = trade.query({"what": "orders"})["rows"]
        self.assertEqual([row["client_order_id"] for row in found], [OWN, ""])
        self.fails("FAILED", trade.cancel, {"order_id": "77"})
        self.lists["order"] = [
            order_thing(m_strOrderSysID="77", m_nOrderStatus=50), order_thing(m_nOrderStatus=54, **elsewhere),
        ]
        self.assertEqual(trade.cancel({"order_id": "77"}), {})
        self.assertEqual(self.canceled, ["77"])

    def test_a_cancel_needs_an_order_that_stands_and_an_hour_that_takes_it(self):
        trade = self.trade()
        self.lists["order"] = [order_thing(m_strOrderSysID="77", m_nOrderStatus=50, m_strRemark="")]
        self.assertEqual(trade.cancel({"order_id": "77"}), {})
        self.fails("FAILED", trade.cancel, {"order_id": "78"})
        self.lists["order"][0].m_nOrderStatus = 54
        self.fails("FAILED", trade.cancel, {"order_id": "77"})
        elsewhere = order_thing(m_strOrderSysID="77", m_nOrderStatus=50, m_strRemark="", m_strExchangeID="SZ")
        self.lists["order"].append(elsewhere)
        self.assertEqual(trade.cancel({"order_id": "77"}), {}, "it stands at the other exchange")
        self.lists["order"].pop()
        self.lists["order"][0].m_nOrderStatus = 50
        self.now_ms += 7 * 3600000
        self.fails("FAILED", trade.cancel, {"order_id": "77"})
        self.assertEqual(self.canceled, ["77", "77"])
