"""Plain objects whose fields are attributes."""

ACCOUNT_TYPES = {"FUTURE": 1, "STOCK": 2, "CREDIT": 3}


class StockAccount(object):
    def __init__(self, account_id, account_type="STOCK"):
        if not isinstance(account_id, str):
            raise Exception("account_id must be a string")
        if account_type not in ACCOUNT_TYPES:
            raise Exception("unknown account type %s" % account_type)
        self.account_type = ACCOUNT_TYPES[account_type]
        self.account_id = account_id


class _Row(object):
    def __init__(self, fields):
        for name, value in fields.items():
            setattr(self, name, int(value) if name == "order_id" else value)


class XtAsset(_Row):
    pass


class XtOrder(_Row):
    pass


class XtTrade(_Row):
    pass


class XtPosition(_Row):
    pass


class XtOrderError(_Row):
    pass


class XtCancelError(_Row):
    pass


class XtOrderResponse(_Row):
    pass


class XtCancelOrderResponse(_Row):
    pass


class XtAccountStatus(_Row):
    pass
