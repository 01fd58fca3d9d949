"""Objects of the terminal as rows of the wire. Raises Unreadable where a row would mean nothing."""

from clocks import shanghai_ms
from fields import code_of, needed, number_of, text_of, whole_of
from names import counter_number
from price_types import LIMIT_PRICE, price_type_of

BUY, SELL = 23, 24
STATUSES = (48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 255)
ENDED = (53, 54, 56, 57)
JUNK = 57
# By m_nOffsetFlag; m_nDirection says 48 whatever the side.
SIDE_OF_OFFSET = {48: BUY, 49: SELL}
SIDE_OF_OPERATION = {23: BUY, 33: BUY, 24: SELL, 34: SELL}
# Financing and lending keep a type of their own, so that none is taken for an order of ours: as the small client
# numbers them, where the special ones are 40 to 45.
OTHER_BUSINESS = {27: 27, 28: 28, 29: 29, 30: 30, 31: 31, 32: 32, 70: 40, 71: 41, 72: 42, 73: 43, 74: 44, 75: 45}


def side_of(thing):
    """23 or 24; the type of what is neither a plain purchase nor a plain sale; 0 when nothing says."""
    operation = whole_of(thing, "m_nOpType")
    other = OTHER_BUSINESS.get(operation)
    found = other or SIDE_OF_OFFSET.get(whole_of(thing, "m_nOffsetFlag"))
    return found or SIDE_OF_OPERATION.get(operation, 0)


def status_of(thing):
    status = whole_of(thing, "m_nOrderStatus")
    return status if status in STATUSES else 255


def said_of(thing):
    """What the counter said about an order; of a refused one it stands in m_strCancelInfo."""
    return text_of(thing, "m_strCancelInfo", "m_strErrorMsg")


def order_row(thing):
    """Without the names of the order and of its owner, which the caller knows."""
    code = code_of(thing)
    traded = needed(thing, "m_nVolumeTraded")
    amount = number_of(thing, "m_dTradeAmount")
    average = number_of(thing, "m_dTradedPrice") or (amount / traded if traded > 0 else 0.0)
    return {
        "code": code,
        "order_type": side_of(thing),
        "quantity": int(needed(thing, "m_nVolumeTotalOriginal")),
        "price_type": price_type_of(whole_of(thing, "m_nOrderPriceType"), code, LIMIT_PRICE),
        "price": number_of(thing, "m_dLimitPrice"),
        "traded": int(traded),
        "traded_price": average,
        "status": status_of(thing),
        "text": said_of(thing),
        "time": shanghai_ms(text_of(thing, "m_strInsertDate"), text_of(thing, "m_strInsertTime")),
        "strategy": "",
    }


def deal_row(thing):
    return {
        "deal_id": counter_number(text_of(thing, "m_strTradeID")),
        "code": code_of(thing),
        "order_type": side_of(thing),
        "quantity": int(needed(thing, "m_nVolume")),
        "price": needed(thing, "m_dPrice"),
        "amount": number_of(thing, "m_dTradeAmount"),
        "fee": number_of(thing, "m_dCommission", "m_dComission"),
        "time": shanghai_ms(text_of(thing, "m_strTradeDate"), text_of(thing, "m_strTradeTime")),
        "strategy": "",
    }


def position_row(thing):
    return {
        "code": code_of(thing),
        "name": text_of(thing, "m_strInstrumentName"),
        "quantity": int(needed(thing, "m_nVolume")),
        "sellable": int(needed(thing, "m_nCanUseVolume")),
        "cost": number_of(thing, "m_dOpenPrice"),
        "holder": text_of(thing, "m_strStockHolder"),
    }


def asset_row(thing):
    """Cash and total must be readable; the rest adds detail."""
    return {
        "cash": needed(thing, "m_dAvailable"),
        "frozen": number_of(thing, "m_dFrozenCash"),
        "market_value": number_of(thing, "m_dInstrumentValue", "m_dStockValue"),
        "total": needed(thing, "m_dBalance"),
    }


def remark_of(thing):
    return text_of(thing, "m_strRemark")


def number_text(thing):
    """The number of an order at the counter; empty until it has one."""
    return counter_number(text_of(thing, "m_strOrderSysID"))


def stand_in_name(row, own=""):
    """Names an order that has no number, the same from list to list; one of ours by our id, as another may be like it."""
    parts = (row["code"], row["order_type"], row["time"], row["quantity"], row["price"])
    name = "row:%s:%s:%s:%s:%s" % parts
    return "%s:%s" % (name, own) if own else name
