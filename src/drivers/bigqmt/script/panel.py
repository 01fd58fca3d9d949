"""What this script says: a few lines on the terminal's panel, and all of them in a file."""

import os
import time

from turned import TurnedFile

LOG_BYTES_MAX = 4 * 1024 * 1024
# The panel is slow, and everybody shares its thread.
PANEL_LINES_MAX = 20
PANEL_SPAN_S = 60.0


class Panel(object):
    def __init__(self, folder, now=time.time):
        self._file = TurnedFile(os.path.join(folder, "script.log"), LOG_BYTES_MAX)
        self._now = now
        self._shown = []

    def log(self, level, text):
        line = "%s %s %s" % (self._stamp(), level, text.replace("\n", " "))
        for say in (self._write, self._show):
            try:
                say(line)
            except Exception:
                pass  # a closed panel is no reason to stop trading

    def _stamp(self):
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(self._now()))

    def _write(self, line):
        self._file.write(line + "\n")

    def _show(self, line):
        now = time.monotonic()
        self._shown = [at for at in self._shown if now - at < PANEL_SPAN_S]
        if len(self._shown) < PANEL_LINES_MAX:
            self._shown.append(now)
            print("steward: " + line)
