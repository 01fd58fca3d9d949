"""The terminal's objects: fields that begin with m_, in the spelling and with the oddities of the original."""

import time

UNSET = 2147483647
PRICE_TYPES = {5: 49, 11: 50, 42: 88, 43: 85, 44: 84, 45: 86, 46: 87, 47: 88, 48: 89}
SHANGHAI_S = 8 * 3600


class Thing(object):
    """Fields are attributes; those that are named raise when they are read, as broken text does."""

    def __init__(self, fields, broken=()):
        self.__dict__.update((name, value) for name, value in fields.items() if name not in broken)
        self.__dict__["_broken"] = broken

    def __getattr__(self, name):
        if name in self.__dict__.get("_broken", ()):
            raise UnicodeDecodeError("gbk", b"\xff", 0, 1, "illegal multibyte sequence")
        raise AttributeError(name)


def exchange_of(code):
    """Codes in pushes are bare; objects bear their exchange beside it."""
    if "." in code:
        return code.split(".")[1]
    return "SH" if code[0] in "56" else "BJ" if code[:2] == "92" or code[0] in "48" else "SZ"


def clock(seconds, layout):
    return time.strftime(layout, time.gmtime(seconds + SHANGHAI_S))


def named(row, account_id):
    code = row["stock_code"]
    return {
        "m_strAccountID": row.get("account_id") or account_id,
        "m_strExchangeID": exchange_of(code),
        "m_strInstrumentID": code.split(".")[0],
        "m_strInstrumentName": row.get("instrument_name", ""),
    }


def order(row, account_id, number):
    """`number` is empty until the counter has given one."""
    volume, traded = row["order_volume"], row["traded_volume"]
    is_junk = row["order_status"] == 57
    return dict(
        named(row, account_id),
        m_nRef=7,
        m_strOrderRef="7",
        m_nOrderPriceType=PRICE_TYPES.get(row["price_type"], 50),
        m_nDirection=48,
        m_nOffsetFlag=48 if row["order_type"] == 23 else 49,
        m_nOpType=row.get("op_type", row["order_type"]),
        m_dLimitPrice=row["price"],
        m_nVolumeTotalOriginal=volume,
        m_nVolumeTotal=volume - traded,
        m_nVolumeTraded=traded,
        m_strOrderSysID=number,
        m_nOrderStatus=row["order_status"] if number else 49,
        m_nErrorID=UNSET,
        m_strErrorMsg="",
        m_strCancelInfo=row["status_msg"] if is_junk else "",
        m_strInsertDate=clock(row["order_time"], "%Y%m%d"),
        m_strInsertTime=clock(row["order_time"], "%H%M%S"),
        m_dTradedPrice=row["traded_price"],
        m_dTradeAmount=row["traded_price"] * traded,
        m_strRemark=row["order_remark"]
    )


def deal(row, account_id):
    return dict(
        named(row, account_id),
        m_strTradeID=row["traded_id"],
        m_strOrderSysID=row["order_id"],
        m_nDirection=48,
        m_nOffsetFlag=48 if row["order_type"] == 23 else 49,
        m_dPrice=row["traded_price"],
        m_nVolume=row["traded_volume"],
        m_dTradeAmount=row["traded_amount"],
        m_dComission=0.0,
        m_strTradeDate=clock(row["traded_time"], "%Y%m%d"),
        m_strTradeTime=clock(row["traded_time"], "%H%M%S"),
        m_strRemark=row["order_remark"]
    )


def position(row, account_id):
    return dict(
        named(row, account_id),
        m_nDirection=48,
        m_nVolume=row["volume"],
        m_nCanUseVolume=row["can_use_volume"],
        m_dOpenPrice=row["open_price"],
        m_dFloatProfit=float("nan")
    )


def account(row, account_id):
    return {
        "m_strAccountID": account_id,
        "m_strStatus": "登录成功",
        "m_dAvailable": row["cash"],
        "m_dFrozenCash": row["frozen_cash"],
        "m_dInstrumentValue": row["market_value"],
        "m_dBalance": row["total_asset"],
    }


def tick(fields, spelling):
    """Some terminals tell the time as a number, some as text in the exchange's zone."""
    found = dict(fields)
    if spelling == "timetag":
        millis = found.pop("time")
        found["timetag"] = "%s.%03d" % (clock(millis // 1000, "%Y%m%d %H:%M:%S"), millis % 1000)
    return found


class Table(object):
    """As much of a table as callers use: columns by name, the time in the index."""

    def __init__(self, columns):
        self._columns = columns
        self.index = [clock(when // 1000, "%Y%m%d%H%M%S") for when in columns["time"]]

    def __len__(self):
        return len(self.index)

    def __getitem__(self, name):
        if name == "time":
            raise KeyError(name)
        return self._columns[name]
