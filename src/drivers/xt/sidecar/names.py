"""What orders are called for a day, where the terminal does not give every order a number.

An order that somebody placed elsewhere, as on a telephone, may be listed with number 0. It is called after
the counter's number for it, or else after what was ordered and when; and it keeps the first name of its day,
whatever the terminal shows of it later.
"""

SYSID, ROW = "sysid:", "row:"
# The exchange by the first digits, of which the longest are asked first: as the service has it, and of codes that it
# leaves to their suffix the one of their stocks.
EXCHANGES = {
    "920": "BJ", "204": "SH", "111": "SZ", "131": "SZ", "11": "SH", "13": "SH",
    "4": "BJ", "5": "SH", "6": "SH", "8": "BJ", "9": "SH",
}
TRADED_AT = ("SH", "SZ", "BJ")
# Beside nothing and zeros.
NO_NUMBER = ("-1", "None", "null", "NULL")


def is_made(name):
    """Of our own making; every other name is the terminal's number."""
    return name.startswith((SYSID, ROW))


def counter_number(text):
    """What the counter numbers an order or a fill with; empty for what stands for none."""
    found = text.strip()
    return "" if found in NO_NUMBER or not found.strip("0") else found


def full_code(code):
    """`600036.SH`, also where only the six digits are told."""
    bare, _, market = code.partition(".")
    if market:
        return code
    known = [EXCHANGES[bare[:digits]] for digits in (3, 2, 1) if bare[:digits] in EXCHANGES]
    return "%s.%s" % (bare, known[0] if known else "SZ")


def exchange_of(code):
    """`SH`, `SZ` or `BJ`."""
    return full_code(code).rpartition(".")[2]


def _place_of(sysid, code):
    """A counter may give one number at each exchange."""
    return sysid, exchange_of(code)


class Codes(object):
    """Six digits may be of two exchanges, as those of bonds are, and builds exist that push no more than these."""

    def __init__(self):
        self._known = {}

    def seen(self, code):
        """With the exchange under which alone these digits were ordered, listed or told so far; else as it is.

        A fund that is bought over the counter (`000001.OF`) is listed with the digits of a stock, and is none.
        """
        bare, _, market = code.partition(".")
        known = self._known.get(bare, ())
        if market in TRADED_AT and code not in known:
            self._known[bare] = known + (code,)
        return known[0] if not market and len(known) == 1 else code


class Names(object):
    """Holds what the records of a journal say of one day."""

    def __init__(self):
        self._made = {}
        self._by_number = {}
        self._by_sysid = {}
        self._owners = {}
        self._sysids = {}

    def clear(self):
        for part in (self._made, self._by_number, self._by_sysid, self._owners, self._sysids):
            part.clear()

    def take(self, record):
        name, number, sysid = record["name"], record["number"], record["sysid"]
        self._made[name] = record
        if number:
            self._by_number[number] = name
        if sysid:
            self._by_sysid[_place_of(sysid, record["code"])] = name

    def known(self, name):
        """Number, counter's number and code behind a name of our making; None for others."""
        return self._made.get(name)

    def find(self, number, sysid, place, code):
        """The name that it has, or has now; empty when there is nothing to call it by.

        `place` is `row:...` of what was ordered, and empty for what is no order. `code` has its exchange.
        """
        standing = self._standing(number, _place_of(sysid, code), place)
        return standing or number or (sysid and self._after(sysid, code)) or place

    def first(self, sysid, code):
        """The name that was told first with this number of the counter; empty when there is none."""
        return self._by_sysid.get(_place_of(sysid, code), "") if sysid else ""

    def _after(self, sysid, code):
        """A name after the counter's number, and the exchange where another one's order has it already."""
        name = SYSID + sysid
        return "%s.%s" % (name, exchange_of(code)) if name in self._made else name

    def news(self, name, number, sysid, code):
        """The record that says all that is known behind a name; None when that is no news."""
        if not is_made(name):
            self.note_number(number, sysid, code)
            return None
        known = self._made.get(name)
        was = known or {"number": "", "sysid": "", "code": ""}
        record = {
            "name": name, "number": number or was["number"], "sysid": sysid or was["sysid"],
            "code": was["code"] or code,
        }
        return None if record == known else record

    def _standing(self, number, at_counter, place):
        """A name of our making stays; a number of the terminal's gives way to a later one."""
        by_sysid = self._by_sysid.get(at_counter, "")
        if by_sysid and (is_made(by_sysid) or not number):
            return by_sysid
        if number and number in self._by_number:
            return self._by_number[number]
        known = self._made.get(place)
        is_free = known is not None and not known["number"] and not known["sysid"]
        return place if is_free else ""

    def note_number(self, number, sysid, code):
        """That an order with this number of the counter has been told under a number of the terminal's: the first counts."""
        if number and sysid and not is_made(number):
            self._by_sysid.setdefault(_place_of(sysid, code), number)

    def note_owner(self, sysid, code, own):
        """That an order of ours has this number at the counter: its row may lose our remark."""
        if sysid and own:
            self._owners.setdefault((sysid, code), own)
            self._sysids.setdefault(own, sysid)

    def sysid_of(self, own):
        return self._sysids.get(own, "")

    def owner(self, sysid, code):
        return self._owners.get((sysid, code), "") if sysid else ""
