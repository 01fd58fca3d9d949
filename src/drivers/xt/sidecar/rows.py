"""Objects of xtquant into plain rows: attribute reads only, so it may run inside a callback."""

import re

STATUSES = (48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 255)
TERMINAL = (53, 54, 56, 57)
# As `remark_key` of the journal cuts it from an id of base 32.
MARK = re.compile("[0-9A-HJKMNP-TV-Z]{20}$")


def text(value):
    if value is None:
        return ""
    if isinstance(value, bytes):
        for encoding in ("utf-8", "gb18030"):
            try:
                return value.decode(encoding)
            except UnicodeDecodeError:
                pass
    return str(value)


def number(value):
    """A float, 0 when there is none. NaN and infinity are no numbers here."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        return 0.0
    return result if abs(result) < 1e300 else 0.0


def whole(value):
    return int(number(value))


def order_number(value):
    """Order numbers reach 64 bits, so they travel as text; none is empty."""
    try:
        result = int(value)
    except (TypeError, ValueError):
        return ""
    return str(result) if result > 0 else ""


def time_ms(value):
    """Seconds or milliseconds of the epoch into milliseconds; 0 when there is none."""
    result = number(value)
    return int(result if result > 1e11 else result * 1000)


def mark(remark):
    """The end of a client order id that this sidecar does not know; else empty."""
    found = MARK.match(remark.strip())
    return found.group(0) if found else ""


def of(thing, name, default=None):
    return getattr(thing, name, default)


def is_of(account_id, thing):
    """With several processes on one terminal, rows of other accounts appear."""
    owner = text(of(thing, "account_id", ""))
    return owner in ("", account_id)


def asset(thing):
    return {
        "cash": number(of(thing, "cash")),
        "frozen": number(of(thing, "frozen_cash")),
        "market_value": number(of(thing, "market_value")),
        "total": number(of(thing, "total_asset")),
    }


def position(thing):
    return {
        "code": text(of(thing, "stock_code")),
        "name": text(of(thing, "instrument_name", of(thing, "stock_name", ""))),
        "quantity": whole(of(thing, "volume")),
        "sellable": whole(of(thing, "can_use_volume")),
        "cost": number(of(thing, "open_price")) or number(of(thing, "avg_price")),
    }


def _own(thing, order_id, own_id):
    remark = text(of(thing, "order_remark"))
    return own_id(order_id, remark) or mark(remark)


def order(thing, own_id):
    status = whole(of(thing, "order_status", 255))
    order_id = order_number(of(thing, "order_id"))
    return {
        "order_id": order_id,
        "client_order_id": _own(thing, order_id, own_id),
        "code": text(of(thing, "stock_code")),
        "order_type": whole(of(thing, "order_type")),
        "quantity": whole(of(thing, "order_volume")),
        "price_type": whole(of(thing, "price_type")),
        "price": number(of(thing, "price")),
        "traded": whole(of(thing, "traded_volume")),
        "traded_price": number(of(thing, "traded_price")),
        "status": status if status in STATUSES else 255,
        "text": text(of(thing, "status_msg")),
        "time": time_ms(of(thing, "order_time")),
        "strategy": text(of(thing, "strategy_name")),
    }


def deal(thing, own_id):
    order_id = order_number(of(thing, "order_id"))
    return {
        "deal_id": text(of(thing, "traded_id")),
        "order_id": order_id,
        "client_order_id": _own(thing, order_id, own_id),
        "code": text(of(thing, "stock_code")),
        "order_type": whole(of(thing, "order_type")),
        "quantity": whole(of(thing, "traded_volume")),
        "price": number(of(thing, "traded_price")),
        "amount": number(of(thing, "traded_amount")),
        "fee": number(of(thing, "commission", 0)),
        "time": time_ms(of(thing, "traded_time")),
        "strategy": text(of(thing, "strategy_name")),
    }


def instrument(detail):
    """Of the dictionary that describes a code. 0: not known, and never a limit of nothing."""
    get = detail.get
    is_trading, status = get("IsTrading"), get("InstrumentStatus")
    return {
        "name": text(get("InstrumentName")).strip(),
        "up": number(get("UpStopPrice")),
        "down": number(get("DownStopPrice")),
        "pre_close": number(get("PreClose")),
        "tick": number(get("PriceTick")),
        "lot_min": whole(get("MinLimitOrderVolume")),
        "lot_max": whole(get("MaxLimitOrderVolume")),
        # Days of a suspension from 1 on; below, it trades.
        "status": None if status is None else whole(status),
        "is_trading": None if is_trading is None else bool(is_trading),
    }
