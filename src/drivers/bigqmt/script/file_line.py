"""The same messages without a socket: one a file, each written aside and renamed, read once and deleted."""

import base64
import collections
import io
import json
import os
import re
import uuid

from settings import limit
from socket_line import LineLost
from wire import WireError, too_long

NAME = re.compile(r"([tm][0-9a-f]{16})-(\d{8})\.json$")
LAST = 99999999
ENDED_KEPT = 256
UNDELETED_MAX = 1024


def encoded(value):
    """ASCII. Raises WireError: the other side takes no number that JSON does not have, and no more than so many bytes."""
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise WireError("消息无法写成 JSON (no JSON: %s)" % error)
    if len(text) > limit("file_bytes_max"):
        raise too_long(len(text), limit("file_bytes_max"))
    return text


def put_file(folder, name, value):
    """Whole or not at all. Raises OSError, and WireError for what cannot be sent."""
    put_text(folder, name, encoded(value))


def put_text(folder, name, text):
    aside = os.path.join(folder, name + ".tmp")
    with io.open(aside, "w", encoding="ascii") as file:
        file.write(text)
    os.replace(aside, os.path.join(folder, name + ".json"))


def names_in(folder):
    """Of its files. One that somebody has deleted is made again."""
    try:
        return os.listdir(folder)
    except OSError:
        pass
    try:
        os.makedirs(folder)
    except OSError:
        pass  # somebody else did, or it is tried again at the next look
    return []


def drop_file(path):
    """True when it is gone."""
    try:
        os.remove(path)
    except OSError:
        return not os.path.exists(path)
    return True


def bytes_as_text(value):
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(bytes(value)).decode("ascii")
    raise TypeError("cannot send a %s" % type(value).__name__)


class FileLine(object):
    """Of one session. It has read its first file, which opened it."""

    def __init__(self, name, inbox, outbox):
        self.name = name
        self._inbox = inbox
        self._outbox = outbox
        self._next_in = 2
        self._next_out = 1
        self._out = collections.deque()
        self._undeleted = collections.deque(maxlen=UNDELETED_MAX)

    @property
    def is_idle(self):
        return not self._out

    def _path(self, number):
        return os.path.join(self._inbox, "%s-%08d.json" % (self.name, number))

    def read(self, bytes_max):
        """The messages that are here, in their order. Raises LineLost, and serves nobody who has left."""
        if os.path.exists(self._path(LAST)):
            raise LineLost("closed")
        messages = []
        while len(messages) < limit("calls_max"):
            path = self._path(self._next_in)
            message = self._message(path, min(bytes_max, limit("file_bytes_max")))
            if message is None:
                break
            self._next_in += 1
            if not drop_file(path):
                self._undeleted.append(path)
            messages.append(message)
        self._delete_again()
        return messages

    def _message(self, path, bytes_max):
        """None while it is not there, or somebody else has a hand on it."""
        try:
            with io.open(path, "rb") as file:
                data = file.read(bytes_max + 1)
        except OSError:
            return None
        if len(data) > bytes_max:
            raise LineLost("a file is too long")
        try:
            message = json.loads(data.decode("utf-8-sig"))
        except ValueError as error:
            raise LineLost("malformed: %s" % error)
        if not isinstance(message, dict):
            raise LineLost("a message is a map")
        return message

    def _delete_again(self):
        for _ in range(len(self._undeleted)):
            path = self._undeleted.popleft()
            if not drop_file(path):
                self._undeleted.append(path)

    def write(self, message):
        """Raises WireError for what cannot be sent, and LineLost."""
        if "d" in message:
            message = dict(message, d=bytes_as_text(message["d"]))
        self._out.append(encoded(message))
        if len(self._out) > limit("files_max"):
            raise LineLost("its files cannot be written")

    def room(self, wanted):
        """How many messages of those that can wait it takes now: as many as are read, and room is left for answers."""
        return max(0, min(wanted, limit("files_max") // 2 - len(self._out) - len(self._unread())))

    def flush(self):
        """What the disk takes now; a file that somebody holds is tried again at the next tick."""
        if self._out and len(self._unread()) >= limit("files_max"):
            raise LineLost("it does not read what it is sent")
        while self._out:
            try:
                put_text(self._outbox, "%s-%08d" % (self.name, self._next_out), self._out[0])
            except OSError:
                return
            self._out.popleft()
            self._next_out += 1

    def _unread(self):
        return [name for name in names_in(self._outbox) if name.startswith(self.name)]

    def close(self, text):
        """Says so, and leaves nothing that could be carried out later."""
        try:
            self.flush()
        except (LineLost, OSError):
            self._drop_unread()
        try:
            put_file(self._outbox, "%s-%08d" % (self.name, LAST), {"t": "close", "text": text})
        except OSError:
            pass
        for name in names_in(self._inbox):
            if name.startswith(self.name):
                drop_file(os.path.join(self._inbox, name))

    def _drop_unread(self):
        for name in self._unread():
            drop_file(os.path.join(self._outbox, name))


class FileDoor(object):
    """A folder in which sessions are opened. Whoever came in an earlier life of this script comes anew."""

    def __init__(self, folder, log):
        self.port = 0
        self._folder = os.path.join(folder, "files")
        self._inbox = os.path.join(self._folder, "cmd")
        self._outbox = os.path.join(self._folder, "out")
        self._log = log
        self._beats = 0
        self._life = uuid.uuid4().hex
        self._known = collections.deque(maxlen=ENDED_KEPT)
        for path in (self._inbox, self._outbox):
            if not os.path.isdir(path):
                os.makedirs(path)
        for name in names_in(self._outbox):
            drop_file(os.path.join(self._outbox, name))

    def knock(self):
        """A session that somebody opened, at most one. What never opened here is deleted unread."""
        firsts, others = set(), set()
        for name in names_in(self._inbox):
            found = NAME.match(name)
            if found is None or found.group(1) in self._known:
                continue
            (firsts if int(found.group(2)) == 1 else others).add(found.group(1))
        for session in others - firsts:
            self._sweep(session)
        for session in sorted(firsts):
            line = self._open(session)
            if line is not None:
                return line
        return None

    def _open(self, session):
        line = FileLine(session, self._inbox, self._outbox)
        path = os.path.join(self._inbox, "%s-%08d.json" % (session, 1))
        try:
            message = line._message(path, limit("file_bytes_max"))
        except LineLost:
            message = {}
        if message is None:
            return None
        self._known.append(session)
        if message.get("t") != "open" or not drop_file(path):
            self._sweep(session)
            return None
        return line

    def _sweep(self, session):
        for name in names_in(self._inbox):
            if name.startswith(session):
                drop_file(os.path.join(self._inbox, name))

    def beat(self, in_charge):
        """Shows that the strategy thread turns, and who is served."""
        self._beats += 1
        value = {"n": self._beats, "life": self._life, "trade": "", "market": ""}
        value.update((role, session.name) for role, session in in_charge.items())
        try:
            put_file(self._folder, "heartbeat", value)
        except OSError:
            pass  # somebody reads it just now

    def close(self):
        drop_file(os.path.join(self._folder, "heartbeat.json"))
