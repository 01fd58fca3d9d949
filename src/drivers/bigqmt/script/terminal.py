"""The terminal around this script: its functions, its context, and the one thread they work on."""

import builtins
import threading

from faults import CallError
from fields import as_text, is_of, whole_of


# Where the terminal tells the type of an account as a number.
ACCOUNT_KINDS = {"1": "FUTURE", "2": "STOCK", "3": "CREDIT"}


def given(name):
    """A function or a value that the terminal puts beside this script; None without it."""
    found = globals().get(name)
    return found if found is not None else getattr(builtins, name, None)


class Terminal(object):
    """Functions of the terminal answer on the strategy thread only; elsewhere they answer nothing."""

    def __init__(self, account_id, account_type):
        self.account_id = account_id
        self.account_type = account_type
        self.context = None
        self._thread = None

    def enter(self, context):
        """At each call by the terminal that is known to come on the strategy thread."""
        self.context = context
        self._thread = threading.get_ident()

    @property
    def is_here(self):
        return self._thread is not None and threading.get_ident() == self._thread

    def objection(self):
        """Why this script must not serve the account that it was loaded for; None when it may."""
        chosen = as_text(given("account")).strip()
        told = as_text(given("accountType")).strip().upper()
        kind = ACCOUNT_KINDS.get(told, told)
        if chosen and chosen != self.account_id:
            return "此脚本属于另一个资金账号：请在策略交易界面选择脚本所属的账号 (the strategy was given another account than this script's)"
        if kind and kind != self.account_type.upper():
            return "账号类型不符：脚本为 %s，策略界面为 %s (the strategy was given another type of account)" % (self.account_type, kind)
        if getattr(self.context, "do_back_test", False):
            return "策略处于回测模式：请在策略交易界面以实盘模式运行 (the strategy runs in backtest mode)"
        return None

    def is_ours(self, thing):
        """Whether what is told of an account, and not of an order of it, is told of this one: those for Hong Kong
        (沪港通、深港通) have the same number, and cash of their own."""
        kind = whole_of(thing, "m_nBrokerType")
        is_kind = not kind or ACCOUNT_KINDS.get(str(kind)) == self.account_type.upper()
        return is_kind and is_of(self.account_id, thing)

    def function(self, name):
        found = given(name)
        if not callable(found):
            raise CallError("FAILED", "终端没有函数 %s：请在策略交易界面运行此脚本 (the terminal has no %s)" % (name, name))
        return found

    def method(self, *names):
        """A method of the context, under the first name that this release has; None without one."""
        for name in names:
            found = getattr(self.context, name, None)
            if callable(found):
                return found
        return None

    def detail(self, what):
        """Objects of this account. Raises CallError when it is no list; an empty one proves nothing."""
        if not self.is_here:
            raise CallError("FAILED", "not on the strategy thread")
        try:
            found = self.function("get_trade_detail_data")(self.account_id, self.account_type, what)
        except CallError:
            raise
        except Exception as error:
            raise CallError("FAILED", "查询失败：%s: %s" % (type(error).__name__, error))
        if not isinstance(found, (list, tuple)):
            raise CallError("FAILED", "查询无应答 (the terminal gave no list)")
        return [thing for thing in found if is_of(self.account_id, thing)]

    def pass_order(self, operation, order):
        """Hands an order to the terminal, which says nothing about it."""
        self.function("passorder")(
            operation, 1101, self.account_id, order["code"], order["price_type"], order["price"],
            order["quantity"], order["strategy"], 2, order["remark"], self.context
        )

    def cancel(self, number):
        """True: it is on its way to the counter. Not more."""
        return bool(self.function("cancel")(number, self.account_id, self.account_type, self.context))
