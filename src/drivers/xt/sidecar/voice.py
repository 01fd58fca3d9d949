"""What this sidecar says, into a pipe that nobody may read: who says something waits for a moment at most.

A service that stands still reads nothing, and whatever ends a sidecar says so first.
"""

import collections
import threading

# For a line to be written, while lines are written at all.
PATIENCE_S = 0.1
LINES_MAX = 1000
LOST = "warning %d lines were lost: nobody read them\n"


class Voice(object):
    """`write(line)` may wait for ever."""

    def __init__(self, write):
        self._write = write
        self._waiting = collections.deque()
        self._lost = 0
        self._is_stuck = False
        self._changed = threading.Condition()
        threading.Thread(target=self._speak, name="voice", daemon=True).start()

    def say(self, line):
        with self._changed:
            if len(self._waiting) >= LINES_MAX:
                self._lost += 1
                return
            self._waiting.append(line)
            self._changed.notify_all()
            if not self._is_stuck:
                self._flush(PATIENCE_S)

    def flush(self, seconds):
        """Waits for so long at most until everything is written."""
        with self._changed:
            self._flush(seconds)

    def _flush(self, seconds):
        self._is_stuck = not self._changed.wait_for(lambda: not self._waiting, seconds)

    def _speak(self):
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                line = self._waiting[0]
                lost, self._lost = self._lost, 0
            self._write(LOST % lost + line if lost else line)
            with self._changed:
                self._waiting.popleft()
                self._is_stuck = False
                self._changed.notify_all()
