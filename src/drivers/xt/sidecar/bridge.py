"""The sidecar of steward: speaks to the trading client through xtquant, and to the service over TCP.

Started by the service, or by hand where the service cannot reach the desktop:

    python bridge.py --folder D:\\steward-xt --listen 58700
    python bridge.py --folder D:\\steward-xt --listen 58701 --role market

Needs Python 3.8 to 3.13 and xtquant, nothing else. Standard output carries one line, or frames of a
history request; everything that xtquant or this program print goes to standard error.
"""

import argparse
import io
import json
import os
import platform
import secrets
import signal
import struct
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import history  # noqa: E402
from day_files import JournalHeld  # noqa: E402
from journal import Journal  # noqa: E402
from lanes import ORDER_CALL, CallError, Job, Lane, Watch  # noqa: E402
from library import find_xtquant  # noqa: E402
from once import Once  # noqa: E402
from quotes import Quotes  # noqa: E402
from server import Limits, Server  # noqa: E402
from trader import Trader  # noqa: E402
from turned import TurnedFile  # noqa: E402
from voice import Voice  # noqa: E402

EXIT_WRONG, EXIT_WEDGED, EXIT_HELD = 2, 75, 76
# The interpreter changes threads so often at least: an answer must not wait 5 ms for its turn.
SWITCH_S = 0.0005
DRAIN_S = 2.0
LAST_WORDS_S = 1.0
TOKEN_BYTES = 32
LOG_BYTES_MAX = 4 * 1024 * 1024
IDLE_CHECK_S = 1.0


def write_line(line):
    try:
        sys.stderr.write(line)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody reads it any more


VOICE = Voice(write_line)


def log(level, text):
    """One line on standard error: a level word, then the text."""
    VOICE.say("%s %s\n" % (level, text.replace("\n", " ")))


def end_process(code):
    """With a moment for its last words; threads inside the trading client's library would hold up an orderly end."""
    VOICE.flush(LAST_WORDS_S)
    os._exit(code)


class LogFile(io.TextIOBase):
    """Standard error of a sidecar that was started by hand, where there may be no console at all."""

    def __init__(self, path):
        self._file = TurnedFile(path, LOG_BYTES_MAX)
        self._is_new_line = True

    def write(self, text):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S%z ") if self._is_new_line else ""
        self._file.write(stamp + text)
        self._is_new_line = text.endswith("\n")
        return len(text)


def own_output():
    """The real standard output for ourselves; whatever else writes to it reaches standard error.

    Without a console (pythonw.exe) there is neither, and nobody to tell.
    """
    try:
        ours = os.dup(1)
        os.dup2(2, 1)
    except OSError:
        return None
    finally:
        sys.stdout = sys.stderr
    if os.name == "nt":
        import msvcrt

        msvcrt.setmode(ours, os.O_BINARY)
    return ours


def write_all(descriptor, data):
    while data and descriptor is not None:
        data = data[os.write(descriptor, data):]


def probe(path, is_for_history):
    """What a doctor wants to know of this interpreter. Never fails."""
    found = {"python": platform.python_version(), "bits": struct.calcsize("P") * 8}
    try:
        found["xtquant"] = find_xtquant(path, log)
        from xtquant import xtdata, xttrader  # noqa: F401

        found["has_relaxed_order"] = hasattr(
            xttrader.XtQuantTrader, "set_relaxed_response_order_enabled"
        )
    except Exception as error:  # a build for another Python raises all sorts of things
        found["error"] = "%s: %s" % (type(error).__name__, error)
    if is_for_history:
        found["history"] = history.needs()
    return found


class Bridge:
    def __init__(self, settings):
        limits = settings.get("limits", {})
        self._role = settings.get("role", "trade")
        self._idle_exit_s = limits.get("idle_exit_ms", 900000) / 1000.0
        self._calls_max = limits.get("calls_max", 256)
        # Before anything slow: whoever waits for the folder learns at once that it is taken.
        self._journal = Journal(settings["folder"]) if self._role == "trade" else None
        self._xtquant = find_xtquant(settings.get("xtquant_path", ""), log)
        self._orders = self._lane("orders", 1)
        self._cancels = self._lane("cancels", 1)  # each waits for an answer, and no order may wait for that
        self._queries = self._lane("queries", 2)
        self._life = self._lane("life", 1)
        self._subscriptions = self._lane("subscriptions", 1)
        self._methods = {}
        self._seconds = {}  # of a method: the lane and the work that go on with its result
        self._watched = [self._orders, self._cancels, self._queries, self._life, self._subscriptions]
        self._leave = lambda: None
        if self._journal is not None:
            self._serve_account(limits.get("refusal_text_ms", 1000) / 1000.0)
        else:
            self._serve_market(settings)
        self._watch = Watch(
            self._watched,
            limits.get("leaks_max", 3),
            limits.get("stuck_order_call_ms", 120000) / 1000.0,
            self._wedged,
        )
        self._server = Server(
            settings.get("listen", 0), settings["token"], Limits(limits),
            self._describe, self._receive, self._journal, self._health, log,
        )
        self.port = self._server.port

    def _lane(self, name, width):
        return Lane(name, width, self._calls_max, log)

    def _serve_account(self, refusal_s):
        trader = Trader(
            self._journal, self._tell, Once(self._journal, self._tell, self._record).record, self._look_at_order,
            lambda: self._orders.left_behind(ORDER_CALL), log, refusal_s,
        )
        self._trader = trader
        self._watched.append(trader.left)
        self._methods = {
            "connect": (self._life, trader.connect),
            ORDER_CALL: (self._orders, trader.submit),
            "barrier": (self._orders, trader.barrier),
            "cancel": (self._cancels, trader.cancel),
            "query": (self._queries, trader.query),
        }
        self._seconds = {"barrier": (self._queries, trader.answers)}

    def _serve_market(self, settings):
        limits = settings.get("limits", {})
        timeout_ms = limits.get("subscribe_timeout_ms", 10000)
        waiting = threading.Semaphore(1)
        said = ""

        def later(work):
            """One at a time is enough: it does all there is to do."""
            if not waiting.acquire(blocking=False):
                return False

            def settle(ok, result):
                """Once, until it succeeds or fails for another reason: it is tried with every look."""
                nonlocal said
                waiting.release()
                before, said = said, "" if ok else result.text
                if said not in ("", before):
                    log("warning", "not subscribed anew: %s" % said)

            job = Job("subscribe", work, settle, timeout_ms)
            if not self._subscriptions.offer(job):
                waiting.release()
                return False
            return True

        quotes = Quotes(settings.get("quote_port", 0), self._ring, later, limits, log)
        self._leave = quotes.leave
        self._methods = {
            "connect": (self._life, quotes.connect),
            "want": (self._subscriptions, quotes.want),
            "poll": (self._queries, quotes.poll),
            "instruments": (self._queries, quotes.instruments),
            "listed": (self._queries, quotes.listed),
        }

    def _describe(self):
        found = {
            "role": self._role,
            "pid": os.getpid(),
            "python": platform.python_version(),
            "xtquant": self._xtquant,
            "capabilities": sorted(self._methods),
        }
        if self._journal is not None:
            found["journal"] = self._journal.identity
            found["seq"] = self._journal.seq
        return found

    def _health(self):
        return {
            "leaked": self._watch.leaked,
            "orders": self._orders.depth + self._cancels.depth,
            "queries": self._queries.depth,
        }

    def _tell(self, event):
        self._server.tell({"t": "event", "e": event})

    def _record(self, event):
        self._server.record(event)

    def _ring(self, take_ticks):
        client = self._server.client
        if client is not None:
            client.ring(take_ticks)

    def _look_at_order(self, order_id):
        job = Job("look", lambda: self._trader.look(order_id), lambda ok, result: None, 5000)
        self._queries.offer(job)

    def _receive(self, client, message, age_ms):
        number, name = message.get("id"), message.get("m")
        until_ms = client.ages.until_ms(message)

        def settle(ok, result):
            client.answer(number, ok, result if ok else {"code": result.code, "text": result.text})

        if name not in self._methods or not isinstance(message.get("p"), dict):
            settle(False, CallError("BAD_REQUEST", "no method is called %r" % (name,)))
            return
        lane, method = self._methods[name]

        def work():
            if not self._server.in_charge(client):
                raise CallError("FENCED", "another client has taken over")
            if until_ms is not None and time.monotonic() * 1000.0 > until_ms:
                raise CallError("NOT_STARTED", "已过时限，未发往柜台 (it came after its time, and was not sent)")
            return method(message["p"])

        def go_on(ok, result):
            if not ok or name not in self._seconds:
                settle(ok, result)
                return
            second, more = self._seconds[name]
            offer(second, Job(name, lambda: more(result), settle, end_ms - time.monotonic() * 1000.0))

        def offer(to, job):
            if not to.offer(job):
                settle(False, CallError("OVERLOADED", "too many calls are waiting"))

        # Whoever asked has been waiting since it was sent, whatever this process did meanwhile.
        timeout_ms = message.get("timeout_ms", 3000) - age_ms
        end_ms = time.monotonic() * 1000.0 + timeout_ms
        offer(lane, Job(name, work, go_on, timeout_ms))

    def _wedged(self, text):
        log("error", "%s; giving up" % text)
        client = self._server.client
        if client is not None:
            client.send({"t": "wedged", "leaked": self._watch.leaked, "text": text})
            client.flush(0.2)
        end_process(EXIT_WEDGED)

    def drain(self):
        """An order on its way gets a moment to be written down, a cancel to leave, the terminal its buffers back."""
        end = time.monotonic() + DRAIN_S
        leaving = threading.Thread(target=self._leave, daemon=True)
        leaving.start()
        leaving.join(DRAIN_S)  # it may never come back, like any call into the library
        while not (self._orders.is_idle and self._cancels.is_idle) and time.monotonic() < end:
            time.sleep(0.01)

    def exit_when_idle(self, keeps_open_orders):
        """Ends when nobody came for long; by hand only while no order is open.

        A spawned one must not outlive a service that is stuck: another may need its folder.
        """
        while True:
            time.sleep(IDLE_CHECK_S)
            alone_s = time.monotonic() - self._server.left_at
            has_open = self._journal is not None and self._journal.has_open_orders
            if self._server.client is not None or alone_s < self._idle_exit_s:
                continue
            if not (keeps_open_orders and has_open):
                log("info", "nobody came for %d s; ending" % alone_s)
                end_process(0)


def token_in(folder):
    """Kept for good, so that the service finds the one that it knows. An empty file is none."""
    path = os.path.join(folder, "token")
    try:
        with open(path, "r", encoding="ascii") as file:
            token = file.read().strip()
        if token:
            return token
    except FileNotFoundError:
        pass
    token = secrets.token_hex(TOKEN_BYTES)
    with os.fdopen(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(token)
    os.replace(path + ".new", path)
    return token


def by_hand():
    parser = argparse.ArgumentParser(description="sidecar of steward, started by hand")
    parser.add_argument("--folder", required=True, help="journal and token; one folder a sidecar")
    parser.add_argument("--listen", type=int, required=True, help="port on 127.0.0.1")
    parser.add_argument("--role", choices=("trade", "market"), default="trade")
    parser.add_argument("--xtquant", default="", help="folder that holds the package xtquant")
    parser.add_argument("--quote-port", type=int, default=0, help="port of the terminal's quotes")
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    sys.stderr = LogFile(os.path.join(given.folder, "sidecar.log"))
    return {
        "role": given.role, "folder": given.folder, "listen": given.listen, "token": token_in(given.folder),
        "xtquant_path": given.xtquant, "quote_port": given.quote_port,
    }


def by_service():
    """What the service sends. It speaks UTF-8, also to a Python that heeds no variables and has a code page."""
    if hasattr(sys.stderr, "reconfigure"):  # Python 3.6 is told that it is too old, and needs a voice for that
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    return json.loads(sys.stdin.buffer.readline().decode("utf-8"))


def main():
    sys.setswitchinterval(SWITCH_S)
    is_spawned = sys.argv[1:2] == ["--spawned"]
    settings = by_service() if is_spawned else by_hand()
    if is_spawned:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the service, which then ends us
    output = own_output()
    try:
        if settings.get("role") == "probe":
            found = probe(settings.get("xtquant_path", ""), settings.get("history", False))
            write_all(output, (json.dumps(found) + "\n").encode())
            return 0
        if settings.get("role") == "history":
            find_xtquant(settings.get("xtquant_path", ""), log)
            return history.serve(settings, lambda data: write_all(output, data), log)
        bridge = Bridge(settings)
    except JournalHeld as error:
        log("error", str(error))
        return EXIT_HELD
    except (ImportError, OSError, KeyError) as error:
        log("error", "cannot start: %s: %s" % (type(error).__name__, error))
        return EXIT_WRONG
    ready = {"port": bridge.port, "pid": os.getpid()}
    write_all(output, (json.dumps(ready) + "\n").encode())
    if is_spawned:
        idle = threading.Thread(target=bridge.exit_when_idle, args=(False,), daemon=True)
        idle.start()
        sys.stdin.buffer.read()  # ends with the service
        bridge.drain()
    else:
        log("info", "listening on 127.0.0.1:%d" % bridge.port)
        bridge.exit_when_idle(True)
    return 0


if __name__ == "__main__":
    end_process(main())
