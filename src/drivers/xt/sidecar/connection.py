"""The way to the trading client: one session of xtquant after the other, each proven before it counts."""

import threading

import library
import rows
from lanes import CallError
from left import Left
from sessions import FILE, Sessions
from states import OK, SHUT_OUT, UNUSABLE, States, asked

CALLBACKS = {
    "on_connected": "connected",
    "on_disconnected": "disconnected",
    "on_account_status": "account_status",
    "on_stock_asset": "asset",
    "on_stock_order": "order",
    "on_stock_trade": "deal",
    "on_stock_position": "position",
    "on_order_error": "order_error",
    "on_cancel_error": "cancel_error",
    "on_order_stock_async_response": "response",
    "on_cancel_order_stock_async_response": "cancel_response",
    "on_smt_appointment_async_response": "ignored",
}


class Connection:
    def __init__(self, journal, put, has_orders, lock, log):
        """`put(session, kind, thing)` is called on the callback thread of xtquant.

        `has_orders(session)`: whether orders were given to it of which nothing was heard. While `lock` is
        held no new session begins.
        """
        self._sessions = Sessions(journal.path_of(FILE), log)
        self._standing = {}  # numbers of sessions that the library has not let go of
        self.left = Left(has_orders)
        self._put = put
        self._lock = lock
        self._log = log
        self._trader = None
        self._account = None
        self._entered = 0  # the session of the trader
        self._states = States()
        self._is_asking = False
        self.session = 0
        self.account_id = ""
        self.is_connected = False

    def connect(self, wanted):
        """Asks an old connection whether it lives; else a new session. Errors: CallError FAILED."""
        is_new = not self._stands(wanted)
        if is_new:
            self._leave()
            self._enter(wanted)
        state = self._state()
        if state in UNUSABLE:
            raise CallError("FAILED", SHUT_OUT % (state, state))
        return {"session": self.session, "is_new": is_new}

    def _stands(self, wanted):
        """Whether the old connection is of use; one whose account is shut out is, while it can say when it is let in."""
        if not self.is_connected or wanted["account_id"] != self.account_id:
            return False
        session = self.session
        try:
            is_shut_out = self._states.of(session) in UNUSABLE
            state = self._asked() if is_shut_out else OK
            if state in UNUSABLE or state is None:
                return state is not None
            self._prove()
            return True
        except Exception as error:  # whatever the library throws
            self._log("warning", "the standing connection is of no use: %s" % error)
        self._still(session)
        return False

    def noted(self, session, thing):
        """The state of the account that the terminal has pushed."""
        state = rows.whole(rows.of(thing, "status", OK))
        self._states.tell(session, state)
        return state

    def _state(self):
        """Of the account. One in which nothing works is asked for anew: a login may come without a word."""
        told = self._states.of(self.session)
        now = self._asked() if told in UNUSABLE else None
        return told if now is None else now

    def _asked(self):
        """None also while an earlier question has not come back: a terminal without an answer may never give one."""
        session = self.session
        trader, account = self.live()
        if self._is_asking:
            return None
        self._is_asking = True
        try:
            return asked(trader, self.account_id, rows.whole(rows.of(account, "account_type")))
        except Exception as error:  # whatever the library throws
            self._log("warning", "the state of the account cannot be asked for: %s" % error)
            return None
        finally:
            self._is_asking = False
            self._still(session)

    def _enter(self, wanted):
        from xtquant.xttrader import XtQuantTrader
        from xtquant.xttype import StockAccount

        account_type = wanted.get("account_type") or "STOCK"
        account = library.account_of(StockAccount, wanted["account_id"], account_type)
        if account is None:
            raise CallError("FAILED", "接口库不认识账号类型 %s (the library knows no such type of account)" % account_type)
        with self._lock:
            self.session += 1
            session = self.session
        # What is told meanwhile is of this account already.
        self._account, self.account_id = account, wanted["account_id"]
        self._sessions.tidy_soon(wanted["path"], set(self._standing.values()))
        number = self._sessions.new_number()
        self._standing[session] = number
        library.have_event_loop()
        trader = XtQuantTrader(wanted["path"], number)
        try:
            self._begin(trader, session, account)
        except Exception:
            self._end(trader, session)
            raise
        self._trader, self._entered = trader, session
        self.is_connected = True
        try:
            self._prove()
        except Exception:
            self._still(session)
            self._leave()
            raise

    def _begin(self, trader, session, account):
        try:
            trader.set_relaxed_response_order_enabled(True)
        except Exception as error:  # older copies do not have it
            self._log("info", "relaxed response order is not available: %s" % error)
        trader.register_callback(_callback(self._put, session))
        trader.start()
        code = trader.connect()
        self._still(session)
        if code != 0:
            raise CallError("FAILED", "connect 返回 %s：请确认交易客户端已登录（极简模式）且路径正确" % code)
        code = trader.subscribe(account)
        self._still(session)
        if code != 0:
            raise CallError("FAILED", "subscribe 返回 %s：请确认资金账号及账号类型" % code)

    def _still(self, session):
        """A call that came back after it was given up must not take the place of its successor."""
        if session != self.session:
            raise CallError("FAILED", "a later attempt to connect has taken over")

    def _prove(self):
        """Pushes are subscribed, and a query answers: one without the other proves little."""
        trader, account = self.live()
        code = trader.subscribe(account)
        if code != 0:
            raise CallError("FAILED", "subscribe 返回 %s" % code)
        row = self.asset()
        if row["total"] == 0 and row["cash"] == 0:
            self._log("warning", "the asset is all zeros: is account_type right?")

    def _leave(self):
        self.is_connected = False
        trader, self._trader = self._trader, None
        if trader is not None:
            self._end(trader, self._entered)

    def _end(self, trader, session):
        """stop() may wait for ever, so nobody waits for it."""
        self.left.begin(session)
        threading.Thread(target=self._stop_quietly, args=(trader, session), daemon=True).start()

    def _stop_quietly(self, trader, session):
        has_ended = False
        try:
            trader.stop()
            has_ended = True
            self._standing.pop(session, None)
        except Exception as error:
            self._log("info", "stop: %s" % error)
        self.left.came_back(session, has_ended)

    def live(self):
        """The library's trader and account. Errors: CallError NOT_CONNECTED."""
        trader = self._trader
        if trader is None or not self.is_connected:
            raise CallError("NOT_CONNECTED", "未连接交易客户端 (not connected to the trading client)")
        return trader, self._account

    def is_ours(self, thing):
        """Whether what is told of an account, and not of an order of it, is told of this one. Raises Unreadable."""
        account_type = rows.whole(rows.of(self._account, "account_type"))
        return rows.is_of(self.account_id, thing) and rows.is_of_kind(account_type, thing)

    def asset(self):
        """A row; the proof that the client answers, and for this account. Errors: CallError FAILED."""
        trader, account = self.live()
        found = trader.query_stock_asset(account)
        if found is None:
            raise CallError("FAILED", "资金查询无应答 (the trading client gave no asset)")
        try:
            if not rows.is_of(self.account_id, found):
                raise CallError("FAILED", "资金查询返回了其他账号 (the asset is another account's)")
            return rows.asset(found)
        except rows.Unreadable as error:
            raise CallError("FAILED", "资金无法读取：%s (the asset cannot be read)" % error)


def _callback(put, session):
    """An object of xtquant's callback class whose methods hand over what they are given."""
    from xtquant.xttrader import XtQuantTraderCallback

    def method(kind):
        return lambda self, thing=None, *_: put(session, kind, thing)

    methods = {name: method(kind) for name, kind in CALLBACKS.items()}
    return type("Callback", (XtQuantTraderCallback,), methods)()
