"""Files of the journal, whose folder one process holds: a record is a line of JSON, there whole or not at all."""

import json
import os
import uuid


class JournalHeld(Exception):
    """Another process holds the folder."""


def remove_if_free(path):
    try:
        os.remove(path)
    except OSError:
        pass  # open in somebody's editor; the next start removes it


def end_torn_line(file, path):
    """A half line of a killed process is closed off, so that the next record stands on its own."""
    if file.tell() == 0:
        return
    with open(path, "rb") as other:
        other.seek(-1, os.SEEK_END)
        if other.read(1) != b"\n":
            file.write(b"\n")


def add_record(file, record):
    """A line, whole or not at all: the next would be read as its end. Raises OSError; the file is closed where half of it stays."""
    line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
    end = os.fstat(file.fileno()).st_size
    rest = line
    try:
        while rest:
            rest = rest[file.write(rest):]
    except OSError:
        if len(rest) == len(line):
            raise
        try:
            file.truncate(end)
        except OSError:
            file.close()
        raise


def identity_in(path):
    """Names this sequence of numbers: a client that knows another starts from the beginning."""
    if os.path.exists(path):
        with open(path, "r", encoding="utf-8") as file:
            text = file.read().strip()
        if text:
            return text
    text = uuid.uuid4().hex
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return text


def number_in(path):
    """The whole number in a file; 0 when there is none."""
    try:
        with open(path, "r", encoding="utf-8") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


def hold_folder(path):
    """One process at a time: the operating system lets go of it when this one ends, however it ends. Raises JournalHeld."""
    file = open(path, "a+b")
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # a terminal that lets scripts import little: nobody else is looked for
    except OSError:
        file.close()
        raise JournalHeld("another sidecar holds %s" % os.path.dirname(path))
    return file


def days_that_count(days, today, yesterday):
    """The last two and those of now, today at the end: a calendar that was wrong leaves files of days to come."""
    wanted = set(days[-2:]) | (set(days) & {today, yesterday})
    return sorted(wanted, key=lambda day: (day == today, day))
