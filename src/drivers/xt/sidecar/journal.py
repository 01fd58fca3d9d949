"""The day journal: what was asked and what the trading client said, in one numbered sequence.

One file a day of JSON lines in one folder, which one process at a time may hold. An order is written
down before it is sent, an event before it is told. Written means handed to the operating system: that
outlives this process. What a power cut takes is not needed, because nobody sends an order again.
"""

import collections
import json
import os
import threading
import time

from day_files import add_record, days_that_count, end_torn_line, hold_folder, identity_in, number_in, remove_if_free
from names import Codes, Names, full_code, is_made
from terms import is_another, is_of_one_exchange

DAYS_KEPT = 7
EVENTS_KEPT = 50000
IDS_KEPT = 50000
SHANGHAI_S = 8 * 3600
DAY_S = 24 * 3600
SUFFIX = ".jsonl"


def exchange_day(now):
    """`2026-08-11` at the exchange, whatever the zone of this computer."""
    return time.strftime("%Y-%m-%d", time.gmtime(now + SHANGHAI_S))


UNKNOWN = {"state": "unknown", "order_id": "", "text": ""}
# Of an order that `intend` could not write down.
UNWRITTEN = "日志无法写入，委托未发出：%s (it could not be written down, and was not sent)"


def remark_key(client_order_id):
    """What stands in the order's remark: short, because remarks are cut; the random part is kept."""
    return client_order_id[-20:]


class Journal(object):
    def __init__(self, folder, now=time.time):
        os.makedirs(folder, exist_ok=True)
        self._folder = folder
        self._now = now
        self._hold = hold_folder(os.path.join(folder, "lock"))
        self._lock = threading.RLock()
        self.identity = identity_in(os.path.join(folder, "identity"))
        self.epoch = self._kept_epoch = number_in(os.path.join(folder, "epoch"))
        self.seq = 0
        self._events = collections.deque(maxlen=EVENTS_KEPT)
        self._orders = {}
        self._intended = collections.OrderedDict()  # ids of this life, also of days that are forgotten
        self._numbers = {}
        self._names = Names()
        self.codes = Codes()
        self._remarks = {}
        self._asked_on = {}
        self._asked = {}
        self._open = {}
        # A full disk keeps nobody from reading and canceling: the file of the day is begun with what is written first.
        self._file = None
        self._file_day = ""
        self._day = exchange_day(now())
        days = self._days()
        read = days_that_count(days, self._day, exchange_day(now() - DAY_S))
        for day in read:
            self._load(day)
        for day in reversed(days):  # an earlier version did not say on each day how far its numbers had come
            if not self.seq and day not in read:
                self.seq = max([0] + [_seq_of(record) for record in self._records(day)])
        self._forget_files()

    def raise_epoch(self, epoch):
        """Of the owner of the account: outlives this process, so that an older database is noticed.

        A disk without room keeps no owner from reading and canceling: it is written down before anything else.
        """
        with self._lock:
            self.epoch = max(self.epoch, epoch)
            try:
                self._keep_epoch()
            except OSError:
                pass

    def _keep_epoch(self):
        if self.epoch == self._kept_epoch:
            return
        path = os.path.join(self._folder, "epoch")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(str(self.epoch))
        os.replace(path + ".new", path)
        self._kept_epoch = self.epoch

    # Orders. A client order id is sent once; whoever repeats it learns what became of it.

    def order(self, client_order_id):
        """`{state, order_id, text}` of an order that was asked before, or None."""
        with self._lock:
            return self._orders.get(client_order_id)

    def earlier(self, client_order_id):
        """What became of an order that was asked before; None for a new one. A calendar that jumps makes none new."""
        with self._lock:
            known = self._orders.get(client_order_id)
            if known is None and client_order_id in self._intended:
                return dict(UNKNOWN)
            return known

    def intend(self, client_order_id, fields):
        """Before the call. State `unknown` until something better is known. Raises OSError: then it must not be sent."""
        at = int(self._now() * 1000)
        self._write({"intent": client_order_id, "at": at, "order": fields})

    def asked(self, client_order_id):
        """What was asked for; empty for an order that is not known."""
        with self._lock:
            return self._asked.get(client_order_id, {}).get("order") or {}

    def asked_ms(self, client_order_id):
        """When, by the calendar of that time; 0 when an earlier version did not say."""
        with self._lock:
            return self._asked.get(client_order_id, {}).get("at") or 0

    def unknown(self):
        """Our ids of orders whose fate nobody has told."""
        with self._lock:
            return [own for own, known in self._orders.items() if known["state"] == "unknown"]

    def sent(self, client_order_id, sequence):
        """For people: nobody reads it back, so a full disk is no reason to fail behind an order that is out."""
        try:
            self._write({"sent": client_order_id, "request": sequence})
        except OSError:
            pass

    def placed(self, client_order_id, order_id):
        self._write({"placed": client_order_id, "order_id": order_id})

    def refused(self, client_order_id, text):
        self._write({"refused": client_order_id, "text": text})

    def client_order_id(self, order_id, remark, row=None):
        """Our id behind a row: by its remark, cut or not, else by its number today; else empty.

        A terminal that is started anew may number its orders anew. What the row tells of an order counts more than
        its number then: of other terms it is somebody else's, and so is what else bears that number today.
        """
        with self._lock:
            self._turn_page()
            known = self._numbers.get(order_id)
            named = self._named_by(remark)
            if named or known is None:
                return named
            asked = (self._asked.get(known) or {}).get("order") or {}
            if row is not None and is_another(row, asked):
                if is_of_one_exchange(row, asked):  # or two exchanges have given one number
                    del self._numbers[order_id]
                return ""
            return known

    def numbered(self, order_id):
        """Our id of the order that was last told under this number today; empty when none was."""
        with self._lock:
            self._turn_page()
            return self._numbers.get(order_id, "")

    def lose(self, order_id):
        """It is the number of somebody else's order by now."""
        with self._lock:
            self._numbers.pop(order_id, None)

    def _named_by(self, remark):
        key = (remark or "").strip()
        if len(key) < 12:
            return ""
        whole = self._remarks.get(key[-20:])
        if whole is not None:
            return whole
        found = [own for mark, own in self._remarks.items() if mark.startswith(key)]
        return found[0] if len(found) == 1 else ""

    def called(self, own, numbers, place, code):
        """What the order with these numbers, ours or not, is called today; empty when nothing says so."""
        number, sysid = numbers
        with self._lock:
            self._turn_page()
            known = self._orders.get(own)
            first = known["order_id"] if known is not None else ""
            if own:
                self._names.note_owner(sysid, code, own)
                place = place and "%s:%s" % (place, own)  # one like it may be somebody else's
            if first and (is_made(first) or not number):
                name = first
            elif known is not None and number:
                name = number
            else:
                name = self._names.find(number, sysid, place, code)
            record = self._names.news(name, number, sysid, code)
            if record is not None:
                self._write(record)
            return name

    def behind(self, name):
        """Number, counter's number and code behind a name that is no number; None when it is not known."""
        with self._lock:
            return self._names.known(name)

    def owner(self, sysid, code):
        """Our id of the order with this number at the counter, when a row of it has borne our mark."""
        with self._lock:
            self._turn_page()
            return self._names.owner(sysid, code)

    def sysid_of(self, own):
        """The number at the counter that an order of ours was first shown with; empty when none was."""
        with self._lock:
            self._turn_page()
            return self._names.sysid_of(own)

    def first_number(self, sysid, code):
        """What the order with this number at the counter was called first today; empty when nothing says so."""
        with self._lock:
            self._turn_page()
            return self._names.first(sysid, full_code(code))

    # Events. Numbered without a gap, kept for those who come back.

    def event(self, event):
        """Writes it down, numbered. A row without a time is of when it was heard, or told again its fill is one more; it
        says so, because a terminal may tell on another day what was before it."""
        with self._lock:
            numbered = dict(event, seq=self.seq + 1)
            row = event.get("row")
            if row and not row.get("time"):
                numbered["row"] = dict(row, time=int(self._now() * 1000), is_undated=True)
            self._write({"event": numbered})
            return numbered

    def missed(self, after):
        """What a client has not seen. One that knows another journal, more than this one, or none has seen nothing."""
        seq = int(after.get("seq") or 0)
        is_known = after.get("journal") == self.identity and seq <= self.seq
        return self.after(seq if is_known else 0)

    def after(self, seq):
        """Events of today and yesterday with higher numbers, oldest first."""
        with self._lock:
            found = [event for event in self._events if event["seq"] > seq]
        return sorted(found, key=lambda event: event["seq"])

    @property
    def has_open_orders(self):
        with self._lock:
            return any(day == self._day for day in self._open.values())

    def _write(self, record):
        with self._lock:
            self._turn_page()
            self._append(record)
            self._take(record, self._day)

    def _append(self, record):
        self._keep_epoch()
        if self._file_day != self._day or self._file.closed:  # behind a half line it is begun again
            file = self._begin(self._day)
            if self._file is not None:
                self._file.close()
            self._file, self._file_day = file, self._day
            self._forget_files()
        add_record(self._file, record)

    def _forget_files(self):
        """With each new day, too: this process may live for months. A folder that cannot be listed holds up no order."""
        try:
            days = self._days()
        except OSError:
            return
        read = days_that_count(days, self._day, exchange_day(self._now() - DAY_S))
        for day in days[:-DAYS_KEPT]:
            if day not in read:
                remove_if_free(self._path(day))

    def _turn_page(self):
        """In memory: the file of the day is begun with what is written first, when the disk has room for it."""
        day = exchange_day(self._now())
        if day == self._day:
            return
        self._day = day
        self._forget_numbers()  # they may begin anew
        self._forget_orders_before(exchange_day(self._now() - DAY_S))

    def _begin(self, day):
        """The file of a day. It says first how far the numbers have come: there may be no event in it."""
        path = self._path(day)
        file = open(path, "ab", 0)
        try:
            end_torn_line(file, path)
            add_record(file, {"seq": self.seq})
        except OSError:
            file.close()
            raise
        return file

    def _forget_orders_before(self, day):
        for own in [own for own, asked in self._asked_on.items() if asked < day]:
            del self._asked_on[own]
            self._orders.pop(own, None)
            self._asked.pop(own, None)
            self._remarks.pop(remark_key(own), None)
        for order_id in [number for number, opened in self._open.items() if opened < day]:
            del self._open[order_id]

    def _take(self, record, day):
        """A record into memory; the same for one just written and one read back."""
        self.seq = max(self.seq, _seq_of(record))
        if "event" in record:
            event = record["event"]
            self._events.append(event)
            self._watch_open(event, day)
        elif "intent" in record:
            own = record["intent"]
            self._orders[own] = dict(UNKNOWN)
            self._intended[own] = True
            if len(self._intended) > IDS_KEPT:
                self._intended.popitem(last=False)
            self._remarks[remark_key(own)] = own
            self._asked_on[own] = day
            self._asked[own] = record
            self.codes.seen((record.get("order") or {}).get("code", ""))
        elif "placed" in record:
            own, order_id = record["placed"], record["order_id"]
            self._orders[own] = {"state": "accepted", "order_id": order_id, "text": ""}
            self._numbers[order_id] = own
        elif "refused" in record:
            own, text = record["refused"], record["text"]
            self._orders[own] = {"state": "rejected", "order_id": "", "text": text}
        elif "name" in record:
            self._names.take(record)

    def _watch_open(self, event, day):
        row = event.get("row") or {}
        self.codes.seen(row.get("code", ""))
        if row.get("sysid"):
            self._names.note_number(row.get("order_id"), row["sysid"], full_code(row["code"]))
        if row.get("client_order_id") in self._orders:
            self._names.note_owner(row.get("sysid"), full_code(row["code"]), row["client_order_id"])
        if event.get("kind") != "order" or "order_id" not in row:
            return
        if row.get("status") in (53, 54, 56, 57):
            self._open.pop(row["order_id"], None)
        else:
            self._open[row["order_id"]] = day

    def _load(self, day):
        is_today = day == exchange_day(self._now())
        if is_today:
            self._forget_numbers()
        for record in self._records(day):
            self._take(record, day)
        if not is_today:
            self._forget_numbers()

    def _records(self, day):
        with open(self._path(day), "rb") as file:
            for line in file:
                try:
                    record = json.loads(line.decode("utf-8"))
                except ValueError:
                    continue  # the last line of a process that was killed
                if isinstance(record, dict):
                    yield record

    def _forget_numbers(self):
        self._numbers.clear()
        self._names.clear()

    def _days(self):
        names = [name for name in os.listdir(self._folder) if name.endswith(SUFFIX)]
        return sorted(name[: -len(SUFFIX)] for name in names)

    def path_of(self, name):
        """A further file of this folder."""
        return os.path.join(self._folder, name)

    def close(self):
        """Another in this process may hold the folder from here on."""
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._hold.close()

    def _path(self, day):
        return os.path.join(self._folder, day + SUFFIX)


def _seq_of(record):
    """How far the numbers of events had come with it; 0 when it says nothing of that."""
    return record["event"]["seq"] if "event" in record else record.get("seq", 0)
