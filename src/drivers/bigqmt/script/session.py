"""One client on one line: who it is, what it asks, what it is told. Nothing here ever waits."""

import collections
import os

from faults import CallError
from greeting import GREETING_BYTES_MAX, MAGIC, VERSION, Ages, proof
from settings import limit
from socket_line import LineLost
from wire import WireError

# Missed events are told between the other work of a tick, at least so many of them.
REPLAYED_MIN = 50


class Call(object):
    def __init__(self, message, age_ms, until_ms):
        self.number = message.get("id")
        self.name = message.get("m")
        self.parameters = message.get("p")
        self._left_ms = (message.get("timeout_ms") or 3000) - age_ms
        self._until_ms = until_ms
        self._read_ms = None

    def is_late(self, now_ms):
        """It must not begin any more, or whoever asked has been told by now that nobody answered."""
        if self._until_ms is not None and now_ms > self._until_ms:
            return True
        return self._read_ms is not None and now_ms - self._read_ms > self._left_ms

    def read(self, now_ms):
        self._read_ms = now_ms
        return self


def answer_to(call, result):
    if isinstance(result, CallError):
        fault = {"code": result.code, "text": result.text}
        return {"t": "answer", "id": call.number, "ok": False, "e": fault}
    return {"t": "answer", "id": call.number, "ok": True, "r": result}


def _silence_ms():
    return limit("beat_ms") * limit("beats_missed_max")


class Session(object):
    """`meet(session, hello)` returns a refusal, or None and calls `welcome`."""

    def __init__(self, line, meet, now_ms):
        self._line = line
        self._meet = meet
        self._nonce = os.urandom(16).hex()
        self._ages = Ages()
        self._begun_ms = now_ms
        self._looked_ms = now_ms
        self._silent_ms = 0.0
        self._age_ms = None  # of what was heard last at this look
        self._old = 0
        self._told_ms = now_ms
        self._missed = collections.deque()
        self._ticks = None
        self._is_met = False
        self._is_live = False
        self.is_closed = False
        self.reason = ""
        self.role = ""
        self.calls = collections.deque()
        self._send({"t": "greet", "magic": MAGIC, "version": VERSION, "nonce": self._nonce}, now_ms)

    @property
    def name(self):
        return self._line.name

    def pump(self, now_ms):
        """Takes what has come and sends what it can. Closed afterwards, or not."""
        if self.is_closed:
            return
        try:
            self._read(now_ms)
            if not self.is_closed:
                self._tell_missed(now_ms)
                self._keep_alive(now_ms)
                self.send_on(now_ms)
        except LineLost as error:
            self.close(str(error))

    def send_on(self, now_ms):
        if self._ticks is not None and self._line.is_idle and self._is_live:
            take, self._ticks = self._ticks, None
            self._send(take(), now_ms)
        self._line.flush()

    def _read(self, now_ms):
        bytes_max = limit("frame_bytes_max") if self._is_met else GREETING_BYTES_MAX
        for message in self._line.read(bytes_max):
            self._silent_ms = 0.0
            if not self._is_met:
                self._greeted(message, now_ms)
            else:
                self._take(message, now_ms)
            if self.is_closed:
                return

    def _greeted(self, hello, now_ms):
        refusal = self._meet(self, hello, self._nonce)
        if refusal is not None:
            self._send(dict(refusal, t="refused"), now_ms)
            self.close(refusal["text"])
            return
        self._ages.of(hello)

    def welcome(self, role, hello, description, missed, token, now_ms):
        """It knows the token, and nobody is ahead of it."""
        self.role = role
        self._is_met = True
        own = str(hello.get("nonce"))
        answer = dict(description, t="welcome", version=VERSION, role=role)
        answer["proof"] = proof(token, "sidecar", own, self._nonce)
        self._send(answer, now_ms)
        self._missed.extend(missed)

    def _take(self, message, now_ms):
        age_ms = self._age_ms = self._ages.of(message)
        if message.get("t") != "call":
            return
        call = Call(message, age_ms, self._ages.until_ms(message)).read(now_ms)
        if len(self.calls) >= limit("calls_max"):
            self.answer(call, CallError("OVERLOADED", "too many calls are waiting"), now_ms)
            return
        self.calls.append(call)

    def _tell_missed(self, now_ms):
        if self._is_live or not self._is_met:
            return
        count = self._line.room(max(REPLAYED_MIN, limit("calls_per_tick") * REPLAYED_MIN))
        while self._missed and count > 0:
            self._send({"t": "event", "e": self._missed.popleft()}, now_ms)
            count -= 1
        if not self._missed:
            self._is_live = True
            self._send({"t": "live"}, now_ms)

    def _keep_alive(self, now_ms):
        # One look counts for no more than a beat: the computer may have slept, and then nobody could speak.
        self._silent_ms += min(max(0.0, now_ms - self._looked_ms), limit("beat_ms"))
        self._looked_ms = now_ms
        if not self._is_met and now_ms - self._begun_ms > limit("handshake_ms"):
            raise LineLost("no greeting")
        if self._is_met and self._silent_ms > _silence_ms():
            raise LineLost("silent for %d ms" % self._silent_ms)
        self._compare_clocks()
        if self._is_live and now_ms - self._told_ms >= limit("beat_ms"):
            self._send({"t": "beat", "leaked": 0, "orders": len(self.calls), "queries": 0}, now_ms)

    def _compare_clocks(self):
        """One of them counts the sleep of the computer, the other one does not: by them every call would be late."""
        age_ms, self._age_ms = self._age_ms, None
        if age_ms is None:
            return
        # One alone had been sent before both sides stood still.
        self._old = self._old + 1 if age_ms > _silence_ms() else 0
        if self._old > 1:
            raise LineLost("what is said seems %d ms old: the clocks of both sides have gone apart" % age_ms)

    def tell(self, event, now_ms):
        """An event, behind those that were missed."""
        if self.is_closed or not self._is_met:
            return
        if not self._is_live:
            self._missed.append(event)
            return
        try:
            self._send({"t": "event", "e": event}, now_ms)
        except LineLost as error:
            self.close(str(error))

    def ring(self, take):
        """There are ticks; `take()` gives a message with the newest when they can be sent."""
        self._ticks = take

    def answer(self, call, result, now_ms):
        if self.is_closed:
            return
        try:
            try:
                self._send(answer_to(call, result), now_ms)
            except WireError as error:
                self._send(answer_to(call, CallError("FAILED", str(error))), now_ms)
        except LineLost as error:
            self.close(str(error))

    def _send(self, message, now_ms):
        self._told_ms = now_ms
        self._line.write(message)

    def close(self, reason):
        if self.is_closed:
            return
        self.is_closed = True
        self.reason = reason
        self.calls.clear()  # asked by somebody who is gone: not carried out
        self._line.close(reason)
