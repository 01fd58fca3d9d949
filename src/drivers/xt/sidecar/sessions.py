"""Numbers of our sessions at the terminal, and the files that those leave in its data folder.

A session draws a number that was not used before, because one that is used again soon is refused. Each
leaves queues in the data folder, of up to many megabytes, that nobody clears away.
"""

import json
import os
import random
import re
import threading
import time

FILE = "sessions.json"
SESSIONS_KEPT = 1000
# Of one round; the next connect goes on.
FILES_MAX = 2000
TIDY_S = 5.0
MEGABYTE = 1024 * 1024
# Only files of sessions, and only by numbers that are known to be ours.
NAME = re.compile(r"(?:lock_)?(?:down|up)_queue_[a-z]+_(\d{9})(?:__mutex)?$")


class Sessions(object):
    def __init__(self, path, log):
        self._path = path
        self._log = log
        self._busy = threading.Lock()

    def new_number(self):
        """Written down before it is used, where the disk takes it: without one nobody could cancel what is open."""
        used = self.used()
        number = random.SystemRandom().randint(100000000, 999999999)
        while number in used:
            number = random.SystemRandom().randint(100000000, 999999999)
        try:
            with open(self._path + ".new", "w", encoding="utf-8") as file:
                json.dump((used + [number])[-SESSIONS_KEPT:], file)
            os.replace(self._path + ".new", self._path)
        except OSError as error:
            self._log("warning", "the number of a session is not written down: %s" % error)
        return number

    def used(self):
        try:
            with open(self._path, "r", encoding="utf-8") as file:
                return [number for number in json.load(file) if isinstance(number, int)]
        except (OSError, ValueError, TypeError):
            return []

    def tidy_soon(self, folder, standing):
        """Removes what ended sessions of ours have left, on a thread of its own: a connect never waits for it.

        `standing` are those that have not ended. Whoever else had one of ours has ended, or would still
        hold the folder of the journal.
        """
        ended = set(self.used()) - standing
        if ended:
            name = "tidy"
            threading.Thread(target=self._tidy, args=(folder, ended), name=name, daemon=True).start()

    def _tidy(self, folder, ended):
        if not self._busy.acquire(False):
            return
        try:
            removed, freed, kept = self.tidy(folder, ended)
            if removed or kept:
                text = "files of ended sessions removed: %d (%.1f MB); still in use: %d"
                self._log("info", text % (removed, freed / float(MEGABYTE), kept))
        except Exception as error:
            self._log("warning", "files of ended sessions: %s: %s" % (type(error).__name__, error))
        finally:
            self._busy.release()

    def tidy(self, folder, ended):
        """How many files were removed, their bytes, and how many could not be: the terminal may have them open."""
        end = time.monotonic() + TIDY_S
        removed = freed = kept = 0
        with os.scandir(folder) as entries:
            for entry in entries:
                if removed + kept >= FILES_MAX or time.monotonic() >= end:
                    break
                found = NAME.match(entry.name)
                is_ours = found is not None and int(found.group(1)) in ended
                if not is_ours or not entry.is_file(follow_symlinks=False):
                    continue
                try:
                    size = entry.stat(follow_symlinks=False).st_size
                    os.remove(entry.path)
                    removed, freed = removed + 1, freed + size
                except OSError:
                    kept += 1
        return removed, freed, kept
