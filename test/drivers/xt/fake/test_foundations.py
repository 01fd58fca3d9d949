"""Tests of what the sidecar stands on: frames, lanes, logs, folders."""

import errno
import os
import socket
import sys
import tempfile
import threading
import time
import unittest

import bridge
import greeting
import lanes
import library
import server
import turned
import voice
import wire
from sidecar_case import Thing, no_space, silent


class WireTest(unittest.TestCase):
    def test_what_goes_out_comes_back(self):
        for value in (
            None, True, False, 0, 127, 128, 65536, 2**32 - 1, -1, -32, -33, -2**31, 1.5, "", "招商银行",
            "x" * 40, "x" * 300, "x" * 70000, b"", b"\x00" * 300, [], list(range(20)), {},
            {"a": [1, {"b": None}]}, dict((str(i), i) for i in range(20)), list(range(70000)),
        ):
            self.assertEqual(wire.unpack(wire.pack(value)), value)

    def test_whole_numbers_beyond_32_bits_travel_as_doubles(self):
        self.assertEqual(wire.unpack(wire.pack(1754875800000)), 1754875800000.0)

    def test_cut_off_or_foreign_bytes_are_refused(self):
        whole = wire.pack({"a": [1, "two", 3.0, None]})
        for size in range(len(whole)):
            with self.assertRaises(wire.WireError):
                wire.unpack(whole[:size])
        for bad in (b"\xc1", b"\xa1\xff", whole + b"\x00", b"\x91" * 40 + b"\x00", b"\x81\x90\x00"):
            with self.assertRaises(wire.WireError):
                wire.unpack(bad)
        with self.assertRaises(wire.WireError):
            wire.pack(object())


class LaneTest(unittest.TestCase):
    def settled(self):
        found = []
        event = threading.Event()

        def settle(ok, result):
            found.append((ok, getattr(result, "code", result)))
            event.set()

        return found, event, settle

    def test_a_call_is_answered_once_though_it_comes_back_late(self):
        lane = lanes.Lane("test", 1, 8, silent)
        gate, begun = threading.Event(), threading.Event()
        found, _, settle = self.settled()
        lane.offer(lanes.Job("slow", lambda: begun.set() or gate.wait(5) and "late", settle, 1000))
        begun.wait(5)
        lane.give_up_late(time.monotonic() + 1)
        self.assertEqual(lane.leaked, 1)
        again, done, settle = self.settled()
        lane.offer(lanes.Job("next", lambda: "served", settle, 5000))
        self.assertTrue(done.wait(5))
        gate.set()
        while lane.leaked:
            time.sleep(0.001)
        self.assertEqual(found, [(False, "TIMEOUT")])
        self.assertEqual(again, [(True, "served")])

    def test_a_call_that_could_not_begin_in_time_was_not_made(self):
        lane = lanes.Lane("test", 1, 8, silent)
        gate, begun = threading.Event(), threading.Event()
        made = []
        first = lanes.Job("first", lambda: begun.set() or gate.wait(5), lambda ok, result: None, 5000)
        lane.offer(first)
        begun.wait(5)
        found, _, settle = self.settled()
        lane.offer(lanes.Job("second", lambda: made.append(1), settle, 1000))
        lane.give_up_late(time.monotonic() + 1)
        gate.set()
        while not lane.is_idle:
            time.sleep(0.001)
        self.assertEqual((found, made), ([(False, "NOT_STARTED")], []))

    def test_a_call_that_was_given_up_stands_until_it_comes_back(self):
        lane = lanes.Lane("test", 1, 8, silent)
        gate, begun = threading.Event(), threading.Event()
        _, _, settle = self.settled()
        lane.offer(lanes.Job("submit", lambda: begun.set() or gate.wait(5), settle, 1000))
        begun.wait(5)
        self.assertEqual(lane.left_behind("submit"), 0, "under way, and not given up")
        self.assertGreaterEqual(lane.standing_s("submit", time.monotonic() + 9), 9)
        lane.give_up_late(time.monotonic() + 1)
        self.assertEqual((lane.left_behind("submit"), lane.left_behind("cancel")), (1, 0))
        self.assertGreaterEqual(lane.standing_s("submit", time.monotonic() + 9), 9)
        self.assertEqual(lane.standing_s("cancel", time.monotonic() + 9), 0)
        seen, done, settle = self.settled()
        lane.offer(lanes.Job("barrier", lambda: lane.left_behind("submit"), settle, 5000))
        self.assertTrue(done.wait(5))
        self.assertEqual(seen, [(True, 1)], "a later call is served, and says nothing of it")
        gate.set()
        while lane.left_behind("submit"):
            time.sleep(0.001)
        self.assertEqual(lane.standing_s("submit", time.monotonic() + 9), 0)

    def test_an_order_that_stands_for_too_long_is_said_and_without_a_limit_nothing_is(self):
        lane = lanes.Lane("test", 1, 8, silent)
        gate, begun = threading.Event(), threading.Event()
        lane.offer(lanes.Job("submit", lambda: begun.set() or gate.wait(5), lambda ok, result: None, 60000))
        begun.wait(5)
        for stuck_s, is_said in ((9.0, True), (11.0, False), (0.0, False)):
            watch = lanes.Watch([lane], 3, stuck_s, lambda text: None, interval_s=60)
            self.assertEqual(bool(watch._wedged(time.monotonic() + 10)), is_said, stuck_s)
        gate.set()

    def test_an_answer_that_cannot_be_told_costs_no_thread_of_its_lane(self):
        lane = lanes.Lane("test", 1, 8, silent)

        def fail(ok, result):
            raise wire.WireError("too long")

        seen, done, settle = self.settled()
        lane.offer(lanes.Job("query", lambda: 1, fail, 5000))
        lane.offer(lanes.Job("query", lambda: 2, settle, 5000))
        self.assertTrue(done.wait(5))
        self.assertEqual(seen, [(True, 2)])

    def test_one_too_many_is_refused(self):
        lane = lanes.Lane("test", 0, 2, silent)
        jobs = [lanes.Job("job", lambda: None, lambda ok, result: None, 1) for _ in range(3)]
        self.assertEqual([lane.offer(job) for job in jobs], [True, True, False])


class ClientTest(unittest.TestCase):
    def test_an_answer_that_is_too_long_is_a_fault_of_its_call_alone(self):
        client = server.Client(None, server.Limits({"frame_bytes_max": 4096}), dict)
        client.answer(1, True, {"rows": ["x" * 4096]})
        client.answer(2, True, {"rows": ["x"]})
        first, second = (wire.unpack(data[4:]) for data in client._frames)
        self.assertEqual((first["id"], first["ok"], first["e"]["code"]), (1, False, "FAILED"))
        self.assertRegex(first["e"]["text"], "4096")
        self.assertEqual((second["id"], second["r"]), (2, {"rows": ["x"]}))


class LogTest(unittest.TestCase):
    """Of a sidecar that was started by hand. Windows moves no file that an editor holds."""

    def setUp(self):
        self.path = os.path.join(tempfile.mkdtemp(), "sidecar.log")
        self.log = turned.TurnedFile(self.path, 40)

    def tearDown(self):
        turned.os = os

    def text(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_it_is_turned_when_it_is_long(self):
        for line in ("first line of the log\n", "second line of the log\n", "third\n"):
            self.log.write(line)
        self.assertEqual(self.text(self.path), "third\n")
        self.assertEqual(self.text(self.path + ".1"), "first line of the log\nsecond line of the log\n")

    def test_one_that_cannot_be_turned_goes_on_and_is_turned_when_it_is_free(self):
        def held(*_):
            raise OSError(errno.EACCES, "used by another process")

        turned.os = Thing(path=os.path, replace=held)
        for number in range(4):
            self.log.write("line %d, which is long\n" % number)
        self.assertEqual(len(self.text(self.path).splitlines()), 4)
        for _ in range(40):
            self.log.write("one more line of the log\n")
        self.assertLess(os.path.getsize(self.path), 40 * (turned.HELD_TIMES_MAX + 1), "not for ever")
        turned.os = os
        self.log.write("last\n")
        self.log.write("next\n")
        self.assertEqual(self.text(self.path), "next\n")
        self.assertRegex(self.text(self.path + ".1"), "^line 0")

    def test_what_cannot_be_written_is_lost_and_nothing_fails(self):
        self.log.write("first\n")
        turned.open = no_space
        try:
            self.log.write("second\n")
        finally:
            del turned.open
        self.log.write("third\n")
        self.assertEqual(self.text(self.path), "first\nthird\n")


class ServerTest(unittest.TestCase):
    def served(self):
        served = object.__new__(server.Server)
        served._lock, served._log, served._limits = threading.Lock(), silent, server.Limits({})
        return served

    def test_a_client_that_breaks_its_session_is_gone_and_not_left_without_ears(self):
        ours, theirs = socket.socketpair()
        theirs.settimeout(5)
        served = self.served()

        def receive(_client, message, _age_ms):
            raise TypeError("of a message that is none")

        served._receive = receive
        client = server.Client(ours, server.Limits({}), dict)
        served._client = client
        theirs.sendall(wire.frame({"t": "call", "m": []}))
        served._listen(client)
        self.assertIsNone(served.client)
        self.assertEqual(theirs.recv(1), b"", "it is told by the end of its line")
        theirs.close()

    def heard(self, *messages):
        """What is carried out of these, and what is said of the end; with each, the second at which it is read alone."""
        ours, theirs = socket.socketpair()
        served = self.served()
        carried_out, said = [], []
        served._receive = lambda _client, message, _age_ms: carried_out.append(message["id"])
        served._log = lambda _level, text: said.append(text)
        client = served._client = server.Client(ours, server.Limits({}), dict)
        times = [at for at, _, _ in messages]
        client.ages = greeting.Ages(lambda: times.pop(0))
        more = [has_more for _, has_more, _ in messages]
        before, server._has_come = server._has_come, lambda _sock, wait_s: wait_s > 0 or more[-1 - len(times)]
        try:
            for _, _, message in messages:
                theirs.sendall(wire.frame(message))
            theirs.shutdown(socket.SHUT_WR)
            served._listen(client)
        finally:
            server._has_come = before
            theirs.close()
        return carried_out, said[-1]

    def test_clocks_that_have_gone_apart_refuse_no_call_as_late(self):
        beats = [(second, False, {"t": "beat", "at": at}) for second, at in ((1.0, 1000), (3600.0, 5000), (3602.0, 7000))]
        carried_out, reason = self.heard(beats[0], (3.0, False, {"t": "call", "id": 1, "at": 3000}), *beats[1:])
        self.assertEqual(carried_out, [1])
        self.assertIn("apart", reason, "both meet anew, and compare their clocks anew")

    def test_what_was_under_way_while_both_stood_still_ends_nothing(self):
        beats = [(second, False, {"t": "beat", "at": at}) for second, at in ((1.0, 1000), (3600.0, 3000), (3601.0, 3601000))]
        calls = [(3602.0, False, {"t": "call", "id": 1, "at": 3590000}), (3602.0, False, {"t": "call", "id": 2, "at": 3602000})]
        self.assertEqual(self.heard(*(beats + calls)), ([1, 2], "the client has gone: closed"))

    def test_what_has_waited_while_the_sidecar_stood_still_ends_nothing(self):
        times = ((1.0, 1000), (20.0, 3000), (20.0, 5000), (20.0, 20000))
        beats = [(second, True, {"t": "beat", "at": at}) for second, at in times]
        call = (20.0, False, {"t": "call", "id": 1, "at": 20000})
        self.assertEqual(self.heard(*(beats + [call])), ([1], "the client has gone: closed"))

    def test_a_wait_in_which_the_computer_slept_is_one_wait(self):
        ours, theirs = socket.socketpair()
        waits = [False, False, True, False, False, False]
        before, server._has_come = server._has_come, lambda _sock, _wait_s: waits.pop(0)
        try:
            ears = server.Ears(ours, server.Limits({"beats_missed_max": 3}))
            theirs.sendall(b"a")
            self.assertEqual(ears.recv(1), b"a")
            self.assertRaises(socket.timeout, ears.recv, 1)
        finally:
            server._has_come = before
        ours.close()
        theirs.close()

    def test_who_is_gone_before_he_is_let_in_closes_the_door_to_nobody_else(self):
        ours, theirs = socket.socketpair()
        comers = [ConnectionResetError(10054, "reset"), OSError(errno.EMFILE, "no file is left"), ours]
        met = threading.Event()

        class Listener(object):
            def accept(self):
                if not comers:
                    threading.Event().wait()
                comer = comers.pop(0)
                if isinstance(comer, OSError):
                    raise comer
                return comer, None

        served = object.__new__(server.Server)
        served._lock, served._log, served._strangers = threading.Lock(), silent, 0
        served._listener, served._meet = Listener(), lambda sock: met.set()
        threading.Thread(target=served._accept, daemon=True).start()
        self.assertTrue(met.wait(20))
        ours.close()
        theirs.close()


class EndTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, bridge, "DRAIN_S", bridge.DRAIN_S)
        bridge.DRAIN_S = 20.0

    def test_orders_and_cancels_on_their_way_get_a_moment(self):
        for name in ("_orders", "_cancels"):
            ending = object.__new__(bridge.Bridge)
            ending._orders, ending._cancels = (lanes.Lane("test", 1, 8, silent) for _ in range(2))
            begun, leaving, done = threading.Event(), threading.Event(), threading.Event()
            ending._leave = leaving.set

            def work():
                begun.set()
                leaving.wait(20)
                threading.Event().wait(0.2)
                done.set()

            getattr(ending, name).offer(lanes.Job("work", work, lambda *_: None, 60000))
            self.assertTrue(begun.wait(20))
            ending.drain()
            self.assertTrue(done.is_set(), name)

    def test_why_it_ends_is_said_also_where_that_takes_a_while(self):
        said, ends = [], []

        def write(line):
            threading.Event().wait(2 * voice.PATIENCE_S)
            said.append(line)

        for part, name, other in (
            (bridge, "VOICE", voice.Voice(write)), (bridge, "IDLE_CHECK_S", 0.0),
            (bridge, "os", Thing(_exit=lambda code: ends.append((code, list(said))) or sys.exit())),
        ):
            self.addCleanup(setattr, part, name, getattr(part, name))
            setattr(part, name, other)
        ending = object.__new__(bridge.Bridge)
        ending._server = Thing(client=None, left_at=time.monotonic())
        ending._journal, ending._idle_exit_s = None, 0.0
        for end in (lambda: ending._wedged("it hangs"), lambda: ending.exit_when_idle(False)):
            with self.assertRaises(SystemExit):
                end()
        wedged, idle = ends
        self.assertEqual(wedged, (bridge.EXIT_WEDGED, ["error it hangs; giving up\n"]))
        self.assertRegex(idle[1][-1], "nobody came")


class FolderTest(unittest.TestCase):
    def test_nothing_but_the_library_is_taken_from_its_folder(self):
        folder = tempfile.mkdtemp()
        os.mkdir(os.path.join(folder, "xtquant"))
        for name in (os.path.join("xtquant", "__init__.py"), "built_for_another_python.py"):
            open(os.path.join(folder, name), "w").close()
        try:
            self.assertIn(folder, library.find_xtquant(folder, silent)["path"])
            with self.assertRaises(ImportError):
                import built_for_another_python  # noqa: F401
        finally:
            sys.modules.pop("xtquant", None)
