"""Objects of xtquant into plain rows: attribute reads only, so it may run inside a callback.

A field may be there and yet not be readable, when the text behind it is in no known encoding. One that a
row can do without is empty then. One that says what the row is about makes the row `Unreadable`: it is left
out and named, because a holding without its shares would be taken for one that is gone.
"""

import re

from names import counter_number, full_code
from price_types import price_type_of
from ticks import DIGITS_MIN, SECONDS_MAX, timetag_ms

STATUSES = (48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 255)
TERMINAL = (53, 54, 56, 57)
# As `remark_key` of the journal cuts it from an id of base 32.
MARK = re.compile("[0-9A-HJKMNP-TV-Z]{20}$")
# Below is an hour or a day in digits, and no time of the epoch.
SECONDS_MIN = 1e8
SIDES = {23: "buy", 24: "sell"}
# The type of an account, as old releases write it into every row, whatever the account.
STOCK_ACCOUNT = 2
# What stands where the terminal has no code to show, as it may just after a login.
NO_CODES = ("", "none", "nan", "null")
# As the service takes a code, too.
PREFIXED = re.compile(r"(SH|SZ|BJ)\.(\d{6})$")
# Of a text: a row that is longer than a message would lose its list, and as an event every greeting of its day.
TEXT_CHARS_MAX = 1000
WORDS = {"order": "委托", "deal": "成交", "position": "持仓", "asset": "资金"}


class Unreadable(Exception):
    """A row that cannot be told: which, and which field of it."""

    def __init__(self, field, reason):
        Exception.__init__(self, "%s (%s)" % (field, reason))
        self.field = field
        self.reason = reason


def text(value):
    """What can be sent on, whatever it was, and of one without an end its beginning. It is over with a NUL, whatever
    fills the rest of its field."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        value = value.partition(b"\0")[0]
        for encoding in ("utf-8", "gb18030"):
            try:
                return value.decode(encoding)[:TEXT_CHARS_MAX]
            except UnicodeDecodeError:
                pass
    try:
        return str(value)[:TEXT_CHARS_MAX].partition("\0")[0].encode("utf-8", "replace").decode("utf-8")
    except Exception:  # an object of a build that does not say what it is
        return ""


def number(value):
    """A float, 0 when there is none. NaN and infinity are no numbers here."""
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return result if abs(result) < 1e300 else 0.0


def whole(value):
    return int(number(value))


def order_number(value):
    """Order numbers reach 64 bits, so they travel as text; none is empty."""
    try:
        result = int(value)
    except (TypeError, ValueError, OverflowError):
        return ""
    return str(result) if result > 0 else ""


def sysid_of(thing):
    """The number that the counter gave an order; empty until it has, when some terminals show zeros."""
    return counter_number(text(of(thing, "order_sysid")))


def time_ms(value):
    """Seconds or milliseconds of the epoch, or day and hour in digits, into milliseconds; 0 when it is none of them."""
    result = number(value)
    if SECONDS_MIN <= result < DIGITS_MIN:
        return int(result if result > SECONDS_MAX else result * 1000)
    return int(timetag_ms(text(value)))


def mark(remark):
    """The end of a client order id that this sidecar does not know; else empty."""
    found = MARK.match(remark.strip())
    return found.group(0) if found else ""


def of(thing, name, default=None):
    """A field that the row can do without: also when it cannot be read."""
    try:
        return getattr(thing, name, default)
    except Exception:  # a text in no known encoding; builds raise what they like
        return default


def need(thing, name, default=None):
    """A field without which the row says nothing. One that this build does not have is `default`."""
    try:
        return getattr(thing, name, default)
    except Exception as error:
        raise Unreadable(name, type(error).__name__)


def code_of(thing):
    """Of what is dealt in. A row of nothing is no row of another market: what it is of is there, whatever it is."""
    found = text(need(thing, "stock_code")).strip().upper()
    if found.lower() in NO_CODES:
        raise Unreadable("stock_code", "no code: %r" % found)
    turned = PREFIXED.match(found)
    return "%s.%s" % (turned.group(2), turned.group(1)) if turned else found


def amount(thing, name, default=0):
    """A number that must be one, where this build has the field."""
    value = need(thing, name, default)
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise Unreadable(name, "%r" % type(value).__name__)
    if not abs(result) < 1e300:
        raise Unreadable(name, "no number")
    return result


def is_of(account_id, thing):
    """With several processes on one terminal, rows of other accounts appear."""
    owner = text(need(thing, "account_id", "")).strip()
    return owner in ("", account_id)


def is_of_kind(account_type, thing):
    """Whether it may be of the account of this type: those for Hong Kong (沪港通、深港通) have the same number, and cash
    and a login of their own."""
    kind = whole(of(thing, "account_type"))
    return kind in (0, STOCK_ACCOUNT, account_type) or not account_type


def told(kind, thing):
    """What can be said of a row that is left out."""
    parts = [WORDS.get(kind, kind), text(of(thing, "stock_code", ""))]
    parts.append(order_number(of(thing, "order_id")) or sysid_of(thing))
    return " ".join(part for part in parts if part)


def asset(thing):
    """Cash must be readable; the rest adds detail."""
    return {
        "cash": amount(thing, "cash", None),
        "frozen": number(need(thing, "frozen_cash")),
        "market_value": number(of(thing, "market_value")),
        "total": number(of(thing, "total_asset")),
    }


class Plain(object):
    """Whose rows are called by their numbers, and nobody's."""

    def client_order_id(self, _order_id, _remark, _row=None):
        return ""

    def called(self, _own, numbers, _place, _code):
        return numbers[0]

    def owner(self, _sysid, _code):
        return ""

    def code(self, told):
        return told


def position(thing, book=Plain()):
    shares = int(amount(thing, "volume", None))
    return {
        # Some terminals always list a line of nothing: it hides no holding, and would keep every list from being whole.
        "code": book.code(code_of(thing) if shares else text(need(thing, "stock_code")).strip().upper()),
        "name": text(of(thing, "instrument_name") or of(thing, "stock_name", "")),
        "quantity": shares,
        "sellable": int(amount(thing, "can_use_volume")),
        "cost": number(of(thing, "open_price")) or number(of(thing, "avg_price")),
        "holder": text(of(thing, "secu_account", "")).strip(),
    }


def place_of(row):
    """What an order is called that has no number of any kind: stable from list to list."""
    side = SIDES.get(row["order_type"], row["order_type"])
    price = ("%.4f" % row["price"]).rstrip("0").rstrip(".")
    parts = (full_code(row["code"]), side, row["time"], row["quantity"], price)
    return "row:%s:%s:%s:%s:%s" % parts


def _called(thing, row, book, place):
    """Puts into a row what its order is called, and whose it is: by its numbers, by its remark, cut or not."""
    # A row whose number cannot be read may be any of them.
    numbers = (order_number(need(thing, "order_id")), sysid_of(thing))
    row["sysid"] = numbers[1]
    remark, code = text(of(thing, "order_remark")), full_code(row["code"])
    own = book.client_order_id(numbers[0], remark, row) or mark(remark)
    if not own and not remark.strip():
        own = book.owner(numbers[1], code)  # its remark was lost
    name = book.called(own, numbers, place, code)
    row["order_id"] = name
    row["client_order_id"] = own or book.client_order_id(name, "", row)
    return row


def order(thing, book):
    status = int(amount(thing, "order_status", 255))
    code, price_type = book.code(code_of(thing)), whole(of(thing, "price_type"))
    row = {
        "code": code,
        "order_type": whole(need(thing, "order_type")),
        "quantity": int(amount(thing, "order_volume")),
        "price_type": price_type_of(price_type, code, price_type),
        "price": number(need(thing, "price")),
        "traded": int(amount(thing, "traded_volume")),
        "traded_price": number(of(thing, "traded_price")),
        "status": status if status in STATUSES else 255,
        "text": text(of(thing, "status_msg")),
        "time": time_ms(of(thing, "order_time")),
        "strategy": text(of(thing, "strategy_name")),
    }
    return _called(thing, row, book, place_of(row))


def deal(thing, book):
    row = {
        "deal_id": counter_number(text(need(thing, "traded_id"))),
        "code": book.code(code_of(thing)),
        "order_type": whole(need(thing, "order_type")),
        "quantity": int(amount(thing, "traded_volume")),
        "price": amount(thing, "traded_price"),
        "amount": number(of(thing, "traded_amount")),
        "fee": number(of(thing, "commission", 0)),
        "time": time_ms(of(thing, "traded_time")),
        "strategy": text(of(thing, "strategy_name")),
    }
    return _called(thing, row, book, "")


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
