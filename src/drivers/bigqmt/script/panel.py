"""What this script says: a few lines on the terminal's panel, and all of them in a file."""

import io
import os
import time

LOG_BYTES_MAX = 4 * 1024 * 1024
# The panel is slow, and everybody shares its thread.
PANEL_LINES_MAX = 20
PANEL_SPAN_S = 60.0


class Panel(object):
    def __init__(self, folder, now=time.time):
        self._path = os.path.join(folder, "script.log")
        self._now = now
        self._shown = []

    def log(self, level, text):
        line = "%s %s %s" % (self._stamp(), level, text.replace("\n", " "))
        try:
            self._write(line + "\n")
            self._show(line)
        except Exception:
            pass  # a full disk or a closed panel is no reason to stop trading

    def _stamp(self):
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(self._now()))

    def _write(self, line):
        with io.open(self._path, "a", encoding="utf-8", errors="replace") as file:
            file.write(line)
            is_long = file.tell() > LOG_BYTES_MAX
        if is_long:
            os.replace(self._path, self._path + ".1")

    def _show(self, line):
        now = time.monotonic()
        self._shown = [at for at in self._shown if now - at < PANEL_SPAN_S]
        if len(self._shown) < PANEL_LINES_MAX:
            self._shown.append(now)
            print("steward: " + line)
