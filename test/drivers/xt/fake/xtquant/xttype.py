"""Plain objects whose fields are attributes."""

from . import _manner

ACCOUNT_TYPES = {"FUTURE": 1, "STOCK": 2, "CREDIT": 3}


class StockAccount(object):
    def __new__(cls, account_id, account_type="STOCK"):
        is_known = account_type in ACCOUNT_TYPES or _manner.of.unknown_account == "raise"
        if not isinstance(account_id, str) or not is_known:
            return "what was given makes no account"
        return super(StockAccount, cls).__new__(cls)

    def __init__(self, account_id, account_type="STOCK"):
        if account_type not in ACCOUNT_TYPES:
            raise Exception("unknown account type %s" % account_type)
        self.account_type = ACCOUNT_TYPES[account_type]
        self.account_id = account_id


UNREADABLE = {"unreadable": True}


class _Row(object):
    """A field may be there and not be readable: the text behind it is in no encoding."""

    def __init__(self, fields):
        self._unreadable = [name for name, value in fields.items() if value == UNREADABLE]
        for name, value in fields.items():
            if name not in self._unreadable:
                setattr(self, name, int(value) if name == "order_id" else value)

    def __getattr__(self, name):
        if name in self.__dict__.get("_unreadable", ()):
            b"\xb9\xfa\xbd".decode("utf-8")
        raise AttributeError(name)


class Native(_Row):
    """An object of the terminal, which the library hands on as it is."""


class XtAsset(_Row):
    pass


class XtOrder(_Row):
    pass


class XtTrade(_Row):
    pass


class XtPosition(_Row):
    pass


class XtOrderError(_Row):
    def __init__(self, fields):
        _Row.__init__(self, fields)
        if not _manner.of.has_reasons:
            self.__dict__.pop("seq", None)


class XtCancelError(_Row):
    pass


class XtOrderResponse(_Row):
    def __init__(self, fields):
        _Row.__init__(self, fields)
        if not _manner.of.has_reasons:
            self.__dict__.pop("error_msg", None)


class XtCancelOrderResponse(_Row):
    pass


class XtAccountStatus(_Row):
    pass
