"""Fields of the terminal's objects, read one by one: any of them may be missing, odd, or raise."""

import re

# Numbers that stand for "not set" in the terminal's objects.
UNSET = (2147483647, -2147483648)
# Of a text: a row that is longer than a message would lose its list, and as an event every greeting of its day.
TEXT_CHARS_MAX = 1000
# The end of a client order id, as `remark_key` of the journal cuts it.
MARK = re.compile("[0-9A-HJKMNP-TV-Z]{20}$")


class Unreadable(Exception):
    """A field without which its row means nothing."""


def read(thing, name, default=None):
    """The attribute, or the default when it is missing or cannot be read."""
    try:
        value = getattr(thing, name)
    except Exception:
        return default
    return default if value is None else value


class Copied(object):
    """What could be read of an object that its owner may use again."""

    def __init__(self, thing):
        for name in dir(thing):
            if not name.startswith("_"):
                value = read(thing, name)
                if value is not None and not callable(value):
                    setattr(self, name, value)


def as_text(value):
    """Of one without an end its beginning. It is over with a NUL, whatever fills the rest of its field."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        value = value.partition(b"\0")[0]
        for encoding in ("gb18030", "utf-8"):
            try:
                return value.decode(encoding)[:TEXT_CHARS_MAX]
            except UnicodeDecodeError:
                pass
    try:
        return str(value)[:TEXT_CHARS_MAX].partition("\0")[0]
    except Exception:
        return ""


def text_of(thing, *names):
    """The first that says something."""
    for name in names:
        found = as_text(read(thing, name)).strip()
        if found:
            return found
    return ""


def as_number(value):
    """A float, 0 when it is none. NaN, infinity and what stands for "not set" are none."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return found if abs(found) < 1e300 and found not in UNSET else 0.0


def number_of(thing, *names):
    """The first that is a number other than 0."""
    for name in names:
        found = as_number(read(thing, name))
        if found:
            return found
    return 0.0


def whole_of(thing, *names):
    return int(number_of(thing, *names))


def needed(thing, name):
    """A number that must be there, also when it is 0. Raises Unreadable."""
    try:
        found = float(getattr(thing, name))
    except Exception:
        raise Unreadable(name)
    if not abs(found) < 1e300 or found in UNSET:
        raise Unreadable(name)
    return found


def code_of(thing):
    """`600036.SH`; lists and callbacks give the bare code and the exchange apart. Raises Unreadable."""
    code = text_of(thing, "m_strInstrumentID")
    if not code:
        raise Unreadable("m_strInstrumentID")
    exchange = text_of(thing, "m_strExchangeID").upper()
    return code if "." in code or not exchange else "%s.%s" % (code, exchange)


def is_of(account_id, thing):
    owner = text_of(thing, "m_strAccountID")
    return owner in ("", account_id)


def mark_of(remark):
    """The end of a client order id that this journal does not know; else empty."""
    found = MARK.match(remark.strip())
    return found.group(0) if found else ""
