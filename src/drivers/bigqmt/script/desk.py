"""Everybody who comes, one client of each role in charge, and their calls a few at a time."""

import os
import platform

from clocks import steady_ms
from faults import CallError
from greeting import STRANGERS_MAX, fenced, objection
from session import Session
from settings import limit, setting
from socket_line import LineLost

TRADE, MARKET = "trade", "market"


class Desk(object):
    def __init__(self, door, journal, methods, log):
        """`methods` by role: what its client may call."""
        self._door = door
        self._journal = journal
        self._methods = methods
        self._log = log
        self._strangers = []
        self._in_charge = {}
        self._now_ms = 0.0

    def session(self, role):
        """The client in charge of it; None without one."""
        found = self._in_charge.get(role)
        return None if found is None or found.is_closed else found

    # Events

    def record(self, event):
        """Numbered, written down, told."""
        numbered = self._journal.event(event)
        self.tell(numbered)

    def tell(self, event):
        client = self.session(TRADE)
        if client is not None:
            client.tell(event, self._now_ms)

    def ring(self, take):
        client = self.session(MARKET)
        if client is not None:
            client.ring(take)

    # A tick

    def pump(self, now_ms):
        """Who has come, what they say, and some of what they ask. Returns when its time is used up."""
        self._now_ms = now_ms
        self._admit(now_ms)
        for session in self._everybody():
            self._pump_one(session, now_ms)
        self._forget()
        self._serve(now_ms)
        for session in self._everybody():
            self._send_on(session, now_ms)
        self._door.beat(self._in_charge)

    def _pump_one(self, session, now_ms):
        """Who sends what nobody expects is sent away, and the others are served."""
        try:
            session.pump(now_ms)
        except Exception as error:
            self._log("error", "a session: %s: %s" % (type(error).__name__, error))
            session.close("%s: %s" % (type(error).__name__, error))

    def _everybody(self):
        return self._strangers + list(self._in_charge.values())

    def _send_on(self, session, now_ms):
        if session.is_closed:
            return
        try:
            session.send_on(now_ms)
        except LineLost as error:
            session.close(str(error))

    def _admit(self, now_ms):
        for _ in range(STRANGERS_MAX):
            line = self._door.knock()
            if line is None:
                return
            if len(self._strangers) >= STRANGERS_MAX:
                line.close("too many strangers")
                continue
            try:
                self._strangers.append(Session(line, self._meet, now_ms))
            except LineLost:
                line.close("lost")

    def _forget(self):
        for role, session in list(self._in_charge.items()):
            if session.is_closed:
                del self._in_charge[role]
                self._log("info", "the %s client has gone: %s" % (role, session.reason))
        self._strangers = [one for one in self._strangers if not one.is_closed and not one.role]

    def _meet(self, session, hello, nonce):
        refusal = self._refusal(hello, nonce)
        if refusal is not None:
            self._log("warning", "refused a client: %s" % refusal["text"])
            return refusal
        role = hello.get("role") or TRADE
        description = {
            "pid": os.getpid(),
            "python": platform.python_version(),
            "xtquant": {"path": "", "version": "bigqmt"},
            "capabilities": sorted(self._methods[role]),
            "digest": setting("digest"),
        }
        missed = ()
        if role == TRADE:
            self._journal.raise_epoch(hello.get("epoch", 0))
            description.update(journal=self._journal.identity, seq=self._journal.seq)
            missed = self._journal.missed(hello.get("after") or {})
        before = self._in_charge.get(role)
        session.welcome(role, hello, description, missed, setting("token"), self._now_ms)
        self._in_charge[role] = session
        if before is not None:
            before.close("another client took over")
        return None

    def _refusal(self, hello, nonce):
        found = objection(hello, nonce, setting("token"))
        if found is not None:
            return found
        role = hello.get("role") or TRADE
        if role not in self._methods:
            return {"code": "BAD_ROLE", "text": "no role is called %r" % (role,)}
        if role == TRADE and hello.get("epoch", 0) < self._journal.epoch:
            return fenced(self._journal.epoch, self.session(TRADE) is not None)
        return None

    # Calls

    def _serve(self, now_ms):
        """In the order in which they came, those about orders before those about quotes."""
        end_ms = steady_ms() + limit("ms_per_tick")
        left = limit("calls_per_tick")
        for role in (TRADE, MARKET):
            session = self.session(role)
            while session is not None and session.calls and left > 0 and steady_ms() < end_ms:
                left -= 1
                call = session.calls.popleft()
                session.answer(call, self._carry_out(role, call), now_ms)

    def _carry_out(self, role, call):
        """The result of a call, or its CallError. Whatever goes wrong, somebody is answered."""
        method = self._methods[role].get(call.name)
        if method is None or not isinstance(call.parameters, dict):
            return CallError("BAD_REQUEST", "no method is called %r" % (call.name,))
        if call.is_late(steady_ms()):
            return CallError("NOT_STARTED", "终端当时没有响应，未执行 (the terminal stood still, and this was not begun in time)")
        try:
            return method(call.parameters)
        except CallError as error:
            return error
        except Exception as error:
            self._log("error", "%s: %s: %s" % (call.name, type(error).__name__, error))
            return CallError("FAILED", "%s: %s" % (type(error).__name__, error))

    def close(self, text):
        self._door.close()  # first: whoever is sent away may come back at once, and must find the next
        for session in self._everybody():
            session.close(text)
        self._strangers = []
        self._in_charge = {}
