"""A socket that never waits: what has come, and what can be sent now."""

import collections
import errno
import os
import struct

from settings import limit
from wire import WireError, frame, unpack

try:
    import socket
except Exception:  # some brokers forbid it, each in its own way; files need none
    socket = None

PIECE_BYTES = 65536
# Of one look: who floods this line is read on at the next tick.
PIECES_MAX = 64
LENGTH = struct.Struct(">I")
AGAIN = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EINTR, 10035)


class LineLost(Exception):
    """Nothing more comes or goes."""


class SocketLine(object):
    name = ""

    def __init__(self, sock):
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._in = bytearray()
        self._out = collections.deque()
        self._out_bytes = 0
        self._is_ended = False

    @property
    def is_idle(self):
        return not self._out

    def read(self, bytes_max):
        """Every whole message that is here. Raises LineLost, and serves nobody who has left."""
        self._receive()
        messages = []
        while len(self._in) >= LENGTH.size:
            size = LENGTH.unpack_from(self._in)[0]
            if size > bytes_max:
                raise LineLost("a frame of %d bytes is too long" % size)
            if len(self._in) < LENGTH.size + size:
                break
            body = bytes(self._in[LENGTH.size:LENGTH.size + size])
            del self._in[:LENGTH.size + size]
            messages.append(self._message(body))
        if self._is_ended:
            raise LineLost("closed")
        return messages

    def _message(self, body):
        try:
            message = unpack(body)
        except WireError as error:
            raise LineLost(str(error))
        if not isinstance(message, dict):
            raise LineLost("a message is a map")
        return message

    def _receive(self):
        for _ in range(PIECES_MAX):
            try:
                piece = self._sock.recv(PIECE_BYTES)
            except socket.error as error:
                if error.errno in AGAIN:
                    return
                raise LineLost(str(error))
            if not piece:
                self._is_ended = True
                return
            self._in += piece

    def write(self, message):
        """Raises WireError for what cannot be sent, and LineLost."""
        data = memoryview(frame(message, limit("frame_bytes_max")))
        self._out.append(data)
        self._out_bytes += len(data)
        if self._out_bytes > limit("outbox_bytes_max"):
            raise LineLost("it does not read what it is sent")

    def room(self, wanted):
        """How many messages of those that can wait it takes now."""
        return wanted if self._out_bytes < limit("outbox_bytes_max") // 2 else 0

    def flush(self):
        """As much as the system takes now."""
        while self._out:
            data = self._out[0]
            try:
                count = self._sock.send(data)
            except socket.error as error:
                if error.errno in AGAIN:
                    return
                raise LineLost(str(error))
            self._out_bytes -= count
            if count < len(data):
                self._out[0] = data[count:]
                return
            self._out.popleft()

    def close(self, _text):
        try:
            self.flush()
        except LineLost:
            pass
        self._sock.close()


class SocketDoor(object):
    """Listens on loopback, and nowhere else."""

    def __init__(self, port, strangers_max):
        if socket is None:
            raise OSError(
                '此终端不允许脚本使用网络：请把 bigqmt.transport 改为 "files"，重新生成脚本 '
                '(this terminal forbids sockets: set bigqmt.transport to "files" and make the script anew)'
            )
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._listener.setblocking(False)
            if os.name != "nt":  # on Windows it would let another program listen beside us
                self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind(("127.0.0.1", port))
            self._listener.listen(strangers_max)
        except Exception:
            self._listener.close()
            raise
        self.port = self._listener.getsockname()[1]

    def knock(self):
        """Who has come, at most one."""
        try:
            sock, _ = self._listener.accept()
        except socket.error:
            return None
        try:
            return SocketLine(sock)
        except socket.error:
            sock.close()
            return None

    def beat(self, _roles):
        """Nothing to show: a socket tells by itself that it lives."""

    def close(self):
        self._listener.close()
