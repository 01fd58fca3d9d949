"""Ends the process at a chosen step, once: FAKE_XT_CRASH names it, FAKE_XT_CRASH_ONCE a file.

The steps inside the sidecar are found by what it writes into its journal.
"""

import os
import signal
import sys


def point(name):
    if os.environ.get("FAKE_XT_CRASH") != name:
        return
    marker = os.environ["FAKE_XT_CRASH_ONCE"]
    if os.path.exists(marker):
        return
    open(marker, "w").close()
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def watch_journal():
    journal = sys.modules.get("journal")
    if journal is None or "FAKE_XT_CRASH" not in os.environ:
        return
    write = journal.Journal._write

    def watched(self, record):
        kind = next(iter(record))
        kind = kind if kind != "event" else record["event"]["kind"]
        point(kind + ":before")
        write(self, record)
        point(kind + ":after")

    journal.Journal._write = watched


watch_journal()
