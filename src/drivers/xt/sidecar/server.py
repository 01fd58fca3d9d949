"""The one client of this sidecar: found by a handshake, watched by heartbeats, replaced by a newer.

Both sides prove that they know the token without sending it; nothing else is read before that.
"""

import collections
import os
import select
import socket
import threading
import time

import wire
from greeting import GREETING_BYTES_MAX, MAGIC, STRANGERS_MAX, VERSION, Ages, fenced, objection, proof

OUTBOX_BYTES_MAX = 64 * 1024 * 1024
# Between two tries to let somebody in, when the first one failed.
DOOR_PAUSE_S = 0.1
# One of the two clocks counts the sleep of the computer and the other one does not: by them every call would be late.
APART = "what is said seems %d ms old: the clocks of both sides have gone apart"


class Limits:
    def __init__(self, given):
        self.beat_s = given.get("beat_ms", 2000) / 1000.0
        self.missed_max = given.get("beats_missed_max", 3)
        self.handshake_s = given.get("handshake_ms", 5000) / 1000.0
        self.frame_bytes_max = given.get("frame_bytes_max", wire.FRAME_BYTES_MAX)

    @property
    def silence_s(self):
        return self.beat_s * self.missed_max


class Server:
    """`receive(client, message, age_ms)` is called for every message of the client in charge."""

    def __init__(self, port, token, limits, describe, receive, journal, health, log):
        self._token = token
        self._limits = limits
        self._describe = describe
        self._receive = receive
        self._journal = journal
        self._health = health
        self._log = log
        self._lock = threading.Lock()
        self._client = None
        self._epoch = journal.epoch if journal is not None else 0
        self._strangers = 0
        self.left_at = time.monotonic()
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name != "nt":
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", port))
        self._listener.listen(STRANGERS_MAX)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="accept", daemon=True).start()

    @property
    def client(self):
        return self._client

    def tell(self, message):
        """To the client in charge; dropped without one, because whoever comes asks for the rest."""
        client = self._client
        if client is not None:
            client.send(message)

    def record(self, event):
        """Numbered, written down, told: one after the other, also beside a client that catches up."""
        with self._lock:
            numbered = self._journal.event(event)
            if self._client is not None:
                self._client.send({"t": "event", "e": numbered})

    def _replay(self, after):
        return [] if self._journal is None else self._journal.missed(after)

    def in_charge(self, client):
        return client is self._client

    def _accept(self):
        """Windows tells here of who was gone again; a moment without files or threads passes."""
        while True:
            try:
                self._let_in(self._listener.accept()[0])
            except (OSError, RuntimeError) as error:
                self._log("warning", "nobody was let in: %s" % error)
                time.sleep(DOOR_PAUSE_S)

    def _let_in(self, sock):
        with self._lock:
            is_crowded = self._strangers >= STRANGERS_MAX
            self._strangers += 0 if is_crowded else 1
        if is_crowded:
            sock.close()
            return
        try:
            threading.Thread(target=self._meet, args=(sock,), name="client", daemon=True).start()
        except RuntimeError:
            with self._lock:
                self._strangers -= 1
            sock.close()
            raise

    def _meet(self, sock):
        client = None
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.settimeout(self._limits.handshake_s)
            client = self._greet(sock)
        except (OSError, wire.WireError) as error:
            self._log("warning", "a greeting failed: %s" % error)
        finally:
            with self._lock:
                self._strangers -= 1
        if client is None:
            sock.close()
            return
        self._listen(client)

    def _greet(self, sock):
        nonce = os.urandom(16).hex()
        sock.sendall(wire.frame({"t": "greet", "magic": MAGIC, "version": VERSION, "nonce": nonce}))
        hello = wire.receive(sock, GREETING_BYTES_MAX)
        refusal = self._objection(hello, nonce)
        if refusal is not None:
            sock.sendall(wire.frame(dict(refusal, t="refused")))
            self._log("warning", "refused a client: %s" % refusal["text"])
            return None
        sock.settimeout(self._limits.silence_s)
        client = Client(sock, self._limits, self._health)
        client.ages.of(hello)
        with self._lock:
            self._epoch = max(self._epoch, hello.get("epoch", 0))
            if self._journal is not None:
                self._journal.raise_epoch(self._epoch)
            welcome = dict(self._describe(), t="welcome", version=VERSION)
            welcome["proof"] = proof(self._token, "sidecar", hello["nonce"], nonce)
            client.send(welcome)
            for event in self._replay(hello.get("after") or {}):
                client.send({"t": "event", "e": event})
            client.send({"t": "live"})
            before, self._client = self._client, client
        if before is not None:
            before.close("another client took over")
        client.start()
        return client

    def _objection(self, hello, nonce):
        found = objection(hello, nonce, self._token)
        if found is None and hello.get("epoch", 0) < self._epoch:
            return fenced(self._epoch, self._client is not None)
        return found

    def _listen(self, client):
        reason = "closed"
        old = 0
        try:
            while True:
                message = wire.receive(client.ears)
                if message is None:
                    break
                age_ms = client.ages.of(message)
                if message.get("t") != "beat":
                    self._receive(client, message, age_ms)
                # One alone had been sent before both sides stood still.
                old = old + 1 if age_ms > 1000.0 * self._limits.silence_s and not client.ears.has_more else 0
                if old > 1:
                    raise wire.WireError(APART % age_ms)
        except (OSError, wire.WireError) as error:
            reason = str(error)
        except Exception as error:  # of what nobody sends: its writer would go on as if somebody listened
            reason = "%s: %s" % (type(error).__name__, error)
        client.close(reason)
        with self._lock:
            if self._client is client:
                self._client = None
                self.left_at = time.monotonic()
        self._log("info", "the client has gone: %s" % reason)


class Ears:
    """What is read of a socket, until so many waits in a row were over without a word.

    One wait counts once, however long it was: the computer may have slept, and then neither side could speak.
    """

    def __init__(self, sock, limits):
        self._sock = sock
        self._limits = limits

    def recv(self, size):
        for _ in range(self._limits.missed_max):
            if _has_come(self._sock, self._limits.beat_s):
                return self._sock.recv(size)
        raise socket.timeout("silent for %g s" % self._limits.silence_s)

    @property
    def has_more(self):
        """Of what has waited while this process stood still, the last says how old it is."""
        return _has_come(self._sock, 0)


def _has_come(sock, wait_s):
    """Whether there is something to read, or the end. Not by `select` where it knows small descriptors only."""
    if not hasattr(select, "poll"):
        return bool(select.select([sock], [], [], wait_s)[0])
    poller = select.poll()
    poller.register(sock, select.POLLIN)
    return bool(poller.poll(wait_s * 1000))


class Client:
    """What is sent waits in one queue; ticks wait beside it, the newest of each code."""

    def __init__(self, sock, limits, health):
        self._sock = sock
        self._limits = limits
        self._health = health
        self.ears = Ears(sock, limits)
        self.ages = Ages()
        self._frames = collections.deque()
        self._bytes = 0
        self._take_ticks = None
        self._has_ticks = False
        self._changed = threading.Condition()
        self._is_closed = False

    def start(self):
        threading.Thread(target=self._write, name="writer", daemon=True).start()

    def answer(self, number, ok, result):
        """To a call. A result that cannot be told is a fault of that call, and of no other."""
        try:
            self.send({"t": "answer", "id": number, "ok": ok, "r" if ok else "e": result})
        except wire.WireError as error:
            self.answer(number, False, {"code": "FAILED", "text": "答复无法发出：%s" % error})

    def send(self, message):
        """Raises WireError when it is too long, or nothing that can be sent."""
        data = self._frame(message)
        with self._changed:
            if self._is_closed:
                return
            self._frames.append(data)
            self._bytes += len(data)
            is_slow = self._bytes > OUTBOX_BYTES_MAX
            self._changed.notify()
        if is_slow:
            self.close("it does not read what it is sent")

    def _frame(self, message):
        return wire.frame(message, self._limits.frame_bytes_max)

    def ring(self, take_ticks):
        """There are ticks: `take_ticks()` gives a message with the newest ones, when they can be sent."""
        with self._changed:
            self._take_ticks = take_ticks
            self._has_ticks = True
            self._changed.notify()

    def close(self, reason):
        with self._changed:
            if self._is_closed:
                return
            self._is_closed = True
            self._changed.notify()
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._sock.close()

    def flush(self, seconds):
        """Waits a little for what was sent to be on its way."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._bytes > 0 and not self._is_closed:
            time.sleep(0.005)

    def _write(self):
        try:
            while not self._is_closed:
                self._sock.sendall(self._next())
        except (OSError, wire.WireError) as error:
            self.close(str(error))

    def _next(self):
        """Everything that waits; a heartbeat when nothing did for a while."""
        with self._changed:
            if not self._frames and not self._has_ticks and not self._is_closed:
                self._changed.wait(self._limits.beat_s)
            data = b"".join(self._frames)
            self._frames.clear()
            self._bytes = 0
            has_ticks, self._has_ticks = self._has_ticks, False
        if has_ticks:
            data += self._frame(self._take_ticks())
        return data or self._frame(dict(self._health(), t="beat"))
