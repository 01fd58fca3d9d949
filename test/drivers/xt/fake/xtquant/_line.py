"""A line to the terminal: JSON lines over TCP, one request after the other, pushes in between."""

import json
import os
import socket
import threading


class Line(object):
    """`push(name, fields)` and `closed()` are called on the reading thread."""

    def __init__(self, port, push, closed):
        self._sock = socket.create_connection(("127.0.0.1", port))
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._push = push
        self._closed = closed
        self._lock = threading.Lock()
        self._next = 0
        self._waiting = {}
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, method, fields, answered):
        with self._lock:
            self._next += 1
            self._waiting[self._next] = answered
            text = json.dumps({"id": self._next, "m": method, "a": fields})
            self._sock.sendall(text.encode("utf-8") + b"\n")

    def ask(self, method, fields):
        """Waits for ever when the terminal does not answer, as the original does."""
        done = threading.Event()
        found = []

        def answered(value):
            found.append(value)
            done.set()

        self.send(method, fields, answered)
        done.wait()
        return found[0]

    def close(self):
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _read(self):
        try:
            for text in self._sock.makefile("r", encoding="utf-8"):
                message = json.loads(text)
                if message.get("abort"):
                    os.abort()  # as a native assertion does
                if "push" in message:
                    self._push(message["push"], message["d"])
                else:
                    with self._lock:
                        answered = self._waiting.pop(message["id"], None)
                    if answered is not None:
                        answered(message["r"])
        except OSError:
            pass
        self._closed()
