"""What the terminal calls: init, the timer, and what happens to orders. All of it on one thread.

The terminal may run init again at any time (a new day, quotes that come back), in this script as it
stands or in a new copy of it. Sockets, journal and sessions go on in the first case; in the second
the earlier copy gives them up.
"""

import collections
import os
import sys

from clocks import Awake, steady_ms, wall_s
from day_files import JournalHeld
from desk import MARKET, TRADE, Desk
from fields import Copied
from file_line import FileDoor
from greeting import STRANGERS_MAX
from journal import Journal
from market import Market
from panel import Panel
from settings import limit, setting
from socket_line import SocketDoor
from terminal import Terminal
from trade import Trade

TIMER = "steward_tick"
LONG_AGO = "2020-01-01 00:00:00"
# Where a later copy of this script finds an earlier one.
COPIES = "_steward_scripts"


class Script(object):
    def __init__(self):
        self._folder = setting("folder")
        self._panel = None
        self._terminal = Terminal(setting("account_id"), setting("account_type", "STOCK"))
        self._awake = Awake()
        self._waiting = collections.deque()
        self._journal = None
        self._door = None
        self._desk = None
        self._trade = None
        self._market = None
        self._is_pumping = False
        self._is_left = False
        self._has_lost = False
        self._ticked_ms = None
        self._retry_ms = None
        self._said = ""

    @property
    def port(self):
        return self._door.port if self._door is not None else 0

    @property
    def is_open(self):
        return self._desk is not None

    def log(self, level, text):
        if self._panel is not None:
            self._panel.log(level, text)
            return
        try:
            print("steward: %s %s" % (level, text))  # its folder cannot be used
        except Exception:
            pass  # nor can this panel show its name: the timer tries again all the same

    # Life

    def begin(self, context):
        self._terminal.enter(context)
        self._is_left = False
        self._take_over()
        self._open()
        self._register(context)
        if self._market is not None:
            self._market.begin_again()
        self.pump()

    def _register(self, context):
        """Whatever the terminal forgets between two inits."""
        for what, register in (("set_account", self._set_account), ("run_time", self._set_timer)):
            try:
                register(context)
            except Exception as error:
                self.log("error", "%s: %s: %s" % (what, type(error).__name__, error))

    def _set_account(self, context):
        context.set_account(self._terminal.account_id)

    def _set_timer(self, context):
        context.run_time(TIMER, "%dnMilliSecond" % limit("tick_ms"), LONG_AGO)

    def _take_over(self):
        """An earlier copy in this process holds the port and the journal until it is told."""
        copies = sys.__dict__.setdefault(COPIES, {})
        earlier = copies.get(self._folder)
        copies[self._folder] = self
        if earlier is not None and earlier is not self:
            try:
                earlier.leave("a later copy of this script took over")
            except Exception as error:
                self.log("warning", "the earlier copy: %s: %s" % (type(error).__name__, error))

    def _open(self):
        """Journal, then the door. What does not work now is tried again by the timer."""
        if self.is_open or self._is_left:
            return
        try:
            self._open_journal()
            is_socket = setting("transport", "socket") != "files"
            self._door = SocketDoor(int(setting("port", 0)), STRANGERS_MAX) if is_socket else FileDoor(self._folder, self.log)
            self._serve()
        except (JournalHeld, OSError, ValueError) as error:
            self._say("cannot serve yet: %s: %s" % (type(error).__name__, error))

    def _open_journal(self):
        if not os.path.isdir(self._folder):
            os.makedirs(self._folder)
        if self._panel is None:
            self._panel = Panel(self._folder)
        if self._journal is None:
            self._journal = Journal(os.path.join(self._folder, "journal"), wall_s)

    def _serve(self):
        methods = {}
        desk = Desk(self._door, self._journal, methods, self.log)
        self._trade = Trade(self._terminal, self._journal, desk.tell, desk.record, self._awake, self.log)
        self._market = Market(self._terminal, desk.ring, self.log)
        methods[TRADE] = self._trade.methods
        methods[MARKET] = self._market.methods
        self._desk = desk
        where = "port %d" % self._door.port if self._door.port else "files"
        self.log("info", "serving at %s, Python %s" % (where, sys.version.split()[0]))

    def _say(self, text):
        if text != self._said:
            self._said = text
            self.log("error", text)

    def leave(self, text):
        """Sockets and journal are given back; a later init takes them again."""
        self._is_left = True
        desk, self._desk = self._desk, None
        market, self._market = self._market, None
        journal, self._journal = self._journal, None
        self._trade = None
        self._door = None
        if desk is not None:
            desk.close(text)
        if market is not None and self._terminal.is_here:
            market.leave()
        if journal is not None:
            journal.close()
        self.log("info", text)

    # Ticks and callbacks

    def tick(self, context):
        """A timer that the terminal set twice comes twice as often; half of it is enough."""
        if self._is_left:
            return
        self._terminal.enter(context)
        now_ms = steady_ms()
        if self._ticked_ms is not None and 0 <= now_ms - self._ticked_ms < limit("tick_ms") / 4.0:
            return
        self._ticked_ms = now_ms
        self._awake.tick(now_ms)
        if not self.is_open and (self._retry_ms is None or now_ms - self._retry_ms >= limit("retry_ms")):
            self._retry_ms = now_ms
            self._open()
        self.pump()

    def hear(self, context, kind, *things):
        """A callback. Taken at once where it comes on the strategy thread, else at the next tick."""
        if self._is_left or not self.is_open:
            return
        if not self._terminal.is_here:
            if len(self._waiting) < limit("events_waiting_max"):
                self._waiting.append((kind, [thing if isinstance(thing, str) else Copied(thing) for thing in things]))
            else:
                self._has_lost = True
            return
        self._terminal.enter(context)
        self._turn(kind, things)
        self.pump()

    def _turn(self, kind, things):
        try:
            getattr(self._trade, kind)(*things)
        except Exception as error:
            self._has_lost = True
            self.log("error", "%s callback: %s: %s" % (kind, type(error).__name__, error))

    def pump(self):
        """Not inside itself: the terminal may call back while it is being called."""
        if self._is_pumping or not self.is_open:
            return
        self._is_pumping = True
        try:
            while self._waiting:
                self._turn(*self._waiting.popleft())
            if self._has_lost:
                self._has_lost = False
                self._desk.tell({"kind": "disconnected", "text": "推送丢失，重新核对 (pushes were lost)"})
            now_ms = steady_ms()
            self._desk.pump(now_ms)
            self._trade.watch(now_ms)
        finally:
            self._is_pumping = False


SCRIPT = Script()


def guarded(work, *arguments):
    """Nothing of this script may fail inside the terminal."""
    try:
        work(*arguments)
    except Exception as error:
        SCRIPT.log("error", "%s: %s" % (type(error).__name__, error))


def init(ContextInfo):
    guarded(SCRIPT.begin, ContextInfo)


def handlebar(ContextInfo):
    """Bars drive nothing here."""


def stop(ContextInfo):
    guarded(SCRIPT.leave, "the strategy was stopped")


def steward_tick(ContextInfo):
    guarded(SCRIPT.tick, ContextInfo)


def order_callback(ContextInfo, orderInfo):
    guarded(SCRIPT.hear, ContextInfo, "order", orderInfo)


def deal_callback(ContextInfo, dealInfo):
    guarded(SCRIPT.hear, ContextInfo, "deal", dealInfo)


def position_callback(ContextInfo, positionInfo):
    guarded(SCRIPT.hear, ContextInfo, "position", positionInfo)


def account_callback(ContextInfo, accountInfo):
    guarded(SCRIPT.hear, ContextInfo, "account", accountInfo)


def orderError_callback(ContextInfo, orderArgs, errMsg):
    guarded(SCRIPT.hear, ContextInfo, "order_error", orderArgs, errMsg)
