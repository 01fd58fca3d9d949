"""What the tests of the script's parts share: the script in names of its own, and things of a terminal."""

import io
import json
import os
import sys
import tempfile
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
