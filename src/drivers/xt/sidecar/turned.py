"""A log file that is moved aside when it is long. Nobody who writes to it is ever stopped by it."""

import os

# So many times its size it may have while another program holds it; what comes then is lost.
HELD_TIMES_MAX = 8


class TurnedFile(object):
    def __init__(self, path, bytes_max):
        self._path = path
        self._bytes_max = bytes_max

    def write(self, text):
        """Opened anew each time: a disk that was full, or a file that somebody held, is no matter the next time."""
        try:
            if self._write(text) > self._bytes_max:
                os.replace(self._path, self._path + ".1")
        except OSError:
            pass  # Windows moves no file that an editor has open: tried again with the next line

    def _write(self, text):
        """Its length afterwards."""
        with open(self._path, "a", encoding="utf-8", errors="replace") as file:
            if file.tell() < self._bytes_max * HELD_TIMES_MAX:
                file.write(text)
            return file.tell()
