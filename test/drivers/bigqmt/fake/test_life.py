"""Tests of the script's lines and of its life in the terminal."""

import builtins
import errno
import io
import json
import os
import random
import shutil
import tempfile
import threading

from script_case import ScriptCase, Thing, deal_thing, order_thing


class Pieces(object):
    """A socket from which these come, one a look; None: nothing more for now."""

    def __init__(self, pieces):
        self._pieces = list(pieces)

    def setblocking(self, _is):
        pass

    def setsockopt(self, *_):
        pass

    def recv(self, _size):
        piece = self._pieces.pop(0) if self._pieces else b""
        if piece is None:
            raise BlockingIOError(errno.EAGAIN, "later")
        return piece


class FramesTest(ScriptCase):
    def test_what_goes_out_comes_back(self):
        message = {"t": "call", "id": 7, "p": {"code": "600036.SH", "list": [1, None, {"a": {}}]}}
        self.assertEqual(self.names["unpack"](self.names["pack"](message)), message)

    def line_of(self, *pieces):
        return self.names["SocketLine"](Pieces(pieces))

    def read_on(self, line):
        """Until whoever sent it has left."""
        found = []
        try:
            while True:
                found.extend(line.read(4096))
        except self.names["LineLost"] as error:
            return found, str(error)

    def test_frames_come_back_whole_wherever_they_are_cut(self):
        messages = [{"t": "call", "id": 1, "p": {"price": 36.5, "big": 2.0**60}}, {}, {"text": u"\u62db\u5546" * 40}]
        stream = b"".join(self.names["frame"](message) for message in messages)
        for cut in range(1, len(stream)):
            line = self.line_of(stream[:cut], None, stream[cut:], None)
            self.assertEqual(line.read(4096) + line.read(4096), messages)
        bytewise = [piece for at in range(len(stream)) for piece in (stream[at:at + 1], None)]
        line = self.line_of(*bytewise)
        self.assertEqual(sum([line.read(4096) for _ in stream], []), messages)

    def test_what_is_no_frame_ends_the_line(self):
        frame = self.names["frame"]
        for bad, why in (
            (b"\x00\x00\x10\x01", "too long"), (b"\xff\xff\xff\xff", "too long"), (b"\x00\x00\x00\x00", "malformed"),
            (b"\x00\x00\x00\x01\xc1", "not used here"), (b"\x00\x00\x00\x01\x90", "a map"),
            (b"\x00\x00\x00\x03\x81\x90\xc0", "malformed"), (b"\x00\x00\x00\x28" + b"\x91" * 40, "too deeply"),
            (b"\x00\x00\x00\x05\xdd\xff\xff\xff\xff", "malformed"), (b"\x00\x00\x00\x05\xdb\xff\xff\xff\xff", "cut off"),
            (b"\x00\x00\x00\x01\x00", "a map"), (b"\x00\x00\x00\x02\x80\xc0", "left over"),
        ):
            self.assertIn(why, self.read_on(self.line_of(bad, None))[1], bad)
        self.assertEqual(self.read_on(self.line_of(frame({"a": 1})[:-1], b"")), ([], "closed"))

    def test_bytes_that_are_changed_on_their_way_are_refused_or_read_and_nothing_else(self):
        chance = random.Random(7)
        whole = self.names["pack"]({"a": [1, "two", 3.5, None, True, -70000, b"\x00"], "b": {"c": 2.0**40, "d": u"\u62db" * 9}})
        for _ in range(3000):
            data = bytearray(whole)
            for _ in range(chance.randrange(1, 4)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                self.names["unpack"](bytes(data[:chance.randrange(1, len(data) + 1)]))
            except self.names["WireError"]:
                pass


class FileLineTest(ScriptCase):
    def setUp(self):
        ScriptCase.setUp(self)
        self.door = self.names["FileDoor"](self.folder, lambda *_: None)
        self.inbox = os.path.join(self.folder, "files", "cmd")
        self.outbox = os.path.join(self.folder, "files", "out")

    def put(self, number, value, session="t" + "0" * 16):
        self.names["put_file"](self.inbox, "%s-%08d" % (session, number), value)

    def lost(self, line):
        with self.assertRaises(self.names["LineLost"]):
            line.read(4096)

    def test_a_session_opens_with_its_first_file_and_is_read_in_order(self):
        self.put(2, {"t": "hello"})
        self.assertIsNone(self.door.knock())
        self.assertEqual(os.listdir(self.inbox), [], "what never opened in this life is not carried out")
        self.put(1, {"t": "open"})
        line = self.door.knock()
        self.put(3, {"t": "b"})
        self.assertEqual(line.read(4096), [], "one is missing")
        self.put(2, {"t": "a"})
        self.assertEqual(line.read(4096), [{"t": "a"}, {"t": "b"}])
        self.assertEqual(os.listdir(self.inbox), [])
        self.put(1, {"t": "open"})
        self.assertIsNone(self.door.knock(), "it opens once")

    def test_what_is_told_lies_whole_in_numbered_files(self):
        self.put(1, {"t": "open"})
        line = self.door.knock()
        line.write({"t": "ticks", "c": ["600036.SH"], "d": b"\x00\xff"})
        line.flush()
        name = "t" + "0" * 16
        with io.open(os.path.join(self.outbox, name + "-00000001.json")) as file:
            self.assertEqual(json.load(file)["d"], "AP8=")
        self.put(2, {"t": "call", "m": "submit"})
        line.close("another took over")
        self.assertEqual(os.listdir(self.inbox), [], "not carried out")
        self.assertIn(name + "-99999999.json", os.listdir(self.outbox))

    def test_whoever_has_left_is_not_served(self):
        self.put(1, {"t": "open"})
        line = self.door.knock()
        self.put(2, {"t": "call", "m": "submit"})
        self.put(99999999, {"t": "close"})
        self.lost(line)

    def test_one_who_does_not_read_is_given_up(self):
        self.names["SETTINGS"]["limits"] = {"files_max": 3}
        self.put(1, {"t": "open"})
        line = self.door.knock()
        for number in range(3):
            line.write({"n": number})
            line.flush()
        line.write({"n": 3})
        with self.assertRaises(self.names["LineLost"]):
            line.flush()

    def test_what_is_too_long_or_no_json_is_refused_before_it_is_in_line(self):
        self.names["SETTINGS"]["limits"] = {"file_bytes_max": 4096, "frame_bytes_max": 4096}
        self.put(1, {"t": "open"})
        line = self.door.knock()
        for message in ({"text": "x" * 4096}, {"cash": float("nan")}):
            with self.assertRaises(self.names["WireError"]):
                line.write(message)
        line.write({"n": 1})
        line.flush()
        self.assertEqual(os.listdir(self.outbox), ["t" + "0" * 16 + "-00000001.json"])
        with self.assertRaises(self.names["WireError"]):
            self.names["frame"]({"text": "x" * 4096}, self.names["limit"]("frame_bytes_max"))

    def taken(self):
        """What the other side reads, and deletes."""
        messages = []
        for name in sorted(os.listdir(self.outbox)):
            with io.open(os.path.join(self.outbox, name)) as file:
                messages.append(json.load(file))
            os.remove(os.path.join(self.outbox, name))
        return messages

    def test_whoever_has_missed_much_is_told_as_fast_as_it_reads(self):
        self.names["SETTINGS"]["limits"] = {"files_max": 8}
        missed = [{"kind": "deal", "seq": number} for number in range(40)]
        self.put(1, {"t": "open"})
        self.put(2, {"t": "hello", "nonce": "n"})
        session = self.names["Session"](
            self.door.knock(), lambda met, hello, _: met.welcome("trade", hello, {}, missed, "t", 0), 0
        )
        session.pump(0)
        for _ in range(3):
            session.pump(0)  # nobody reads meanwhile
        self.assertEqual(len(os.listdir(self.outbox)), 4, "and there is room for answers")
        heard = []
        while not session.is_closed and {"t": "live"} not in heard:
            heard += self.taken()
            session.pump(0)
        self.assertEqual(session.reason, "")
        self.assertEqual([message["e"] for message in heard if message["t"] == "event"], missed)

    def test_folders_that_somebody_deletes_are_made_again(self):
        self.put(1, {"t": "open"})
        line = self.door.knock()
        shutil.rmtree(os.path.join(self.folder, "files"))
        self.assertIsNone(self.door.knock())
        self.door.beat({})
        self.assertEqual(line.read(4096), [])
        line.write({"n": 1})
        line.flush()
        self.assertEqual([message["n"] for message in self.taken()], [1])
        self.put(1, {"t": "open"}, "t" + "1" * 16)
        self.assertIsNotNone(self.door.knock(), "and who comes is served")
        shutil.rmtree(os.path.join(self.folder, "files"))
        line.close("left")

    def test_the_heartbeat_shows_life(self):
        seen = []
        for _ in range(2):
            self.door.beat({})
            with io.open(os.path.join(self.folder, "files", "heartbeat.json")) as file:
                seen.append(json.load(file))
        self.assertEqual([beat["n"] for beat in seen], [1, 2])
        self.assertEqual(seen[0]["life"], seen[1]["life"])


class Context(object):
    def set_account(self, account_id):
        pass

    def run_time(self, name, period, start):
        pass

    def get_full_tick(self, codes):
        return {}


class LifeTest(ScriptCase):
    def setUp(self):
        ScriptCase.setUp(self)
        self.names["SETTINGS"].update(transport="socket", port=0, token="t")
        self.names["SCRIPT"].__init__()

    def tearDown(self):
        self.names["stop"](Context())

    def test_init_runs_again_and_keeps_what_stands(self):
        self.names["init"](Context())
        script = self.names["SCRIPT"]
        port, desk = script.port, script._desk
        self.assertTrue(port > 0)
        self.names["init"](Context())
        self.assertEqual((script.port, script._desk), (port, desk))

    def test_a_new_copy_takes_over_and_the_old_one_falls_silent(self):
        self.names["init"](Context())
        old = self.names
        port = old["SCRIPT"].port
        new = self.load()
        new["SETTINGS"].update(transport="socket", port=port, token="t")
        new["SCRIPT"].__init__()
        new["init"](Context())
        self.assertEqual((new["SCRIPT"].port, old["SCRIPT"].is_open), (port, False))
        old["steward_tick"](Context())
        self.assertFalse(old["SCRIPT"].is_open)
        new["stop"](Context())
        new["steward_tick"](Context())
        self.assertFalse(new["SCRIPT"].is_open, "a timer that outlives the strategy opens nothing")
        new["init"](Context())
        self.assertTrue(new["SCRIPT"].is_open)
        new["stop"](Context())

    def test_news_that_could_not_be_taken_are_asked_for(self):
        """A full disk: nothing can be written down, so whoever listens must look at the lists."""
        self.names["init"](Context())
        script = self.names["SCRIPT"]
        told = []
        script._desk.tell = told.append

        def fail(_event):
            raise OSError("no space left")

        script._journal.event = fail
        self.names["deal_callback"](Context(), deal_thing())
        self.assertEqual([event["kind"] for event in told], ["disconnected"])

    def test_what_comes_on_another_thread_is_copied_and_taken_at_the_next_tick(self):
        self.names["init"](Context())
        script = self.names["SCRIPT"]
        thing = order_thing(m_strOrderSysID="9", m_strRemark="", m_nOrderStatus=50, odd=("m_strCancelInfo",))
        thread = threading.Thread(target=self.names["order_callback"], args=(Context(), thing))
        thread.start()
        thread.join()
        thing.m_nOrderStatus = 56  # the terminal uses its object again
        self.assertEqual(script._journal.after(0), [])
        script._ticked_ms = None
        self.names["steward_tick"](Context())
        self.assertEqual([event["row"]["status"] for event in script._journal.after(0)], [50])

    def test_what_fails_inside_does_not_reach_the_terminal(self):
        self.names["init"](Context())
        for name in ("order_callback", "deal_callback", "position_callback", "account_callback"):
            self.names[name](Context(), Thing())
        self.names["orderError_callback"](Context(), None, None)

    def test_a_folder_that_cannot_be_made_is_said_on_the_panel(self):
        said = []
        self.names["print"] = said.append
        with io.open(os.path.join(self.folder, "file"), "w"):
            pass
        self.names["SETTINGS"]["folder"] = os.path.join(self.folder, "file", "under")
        self.names["SCRIPT"].__init__()
        self.names["init"](Context())
        self.assertIn("cannot serve yet", "".join(said))

    def test_a_panel_that_cannot_show_the_folder_either_stops_nothing(self):
        """Its name has a sign that the panel's code page lacks, or the panel is closed; the folder comes later."""

        def show(_line):
            raise UnicodeEncodeError("gbk", u"\U00020000", 0, 1, "illegal multibyte sequence")

        self.names["print"] = show
        block = os.path.join(self.folder, "later")
        with io.open(block, "w"):
            pass
        self.names["SETTINGS"].update(folder=os.path.join(block, "under"), limits={"retry_ms": 0, "tick_ms": 0})
        script = self.names["SCRIPT"]
        script.__init__()
        registered = []
        context = Context()
        context.run_time = lambda name, *_: registered.append(name)
        self.names["init"](context)
        self.assertEqual(registered, ["steward_tick"], "and the timer tries again")
        self.names["steward_tick"](context)
        os.remove(block)
        self.names["steward_tick"](context)
        self.assertTrue(script.is_open)

    def test_a_port_that_is_taken_is_tried_again(self):
        self.names["init"](Context())
        port = self.names["SCRIPT"].port
        other = self.load()
        other["SETTINGS"].update(folder=tempfile.mkdtemp(), transport="socket", port=port, token="t", limits={"retry_ms": 0, "tick_ms": 0})
        other["SCRIPT"].__init__()
        other["init"](Context())
        self.assertFalse(other["SCRIPT"].is_open)
        self.names["stop"](Context())
        other["steward_tick"](Context())
        self.assertEqual(other["SCRIPT"].port, port)
        other["stop"](Context())


class ForbiddenSocketsTest(ScriptCase):
    """A terminal whose broker lets scripts import no socket."""

    def load(self):
        allow = builtins.__import__

        def forbid(name, *rest):
            if name == "socket":
                raise ImportError("this module is not allowed")
            return allow(name, *rest)

        builtins.__import__ = forbid
        try:
            return ScriptCase.load(self)
        finally:
            builtins.__import__ = allow

    def serve(self, transport):
        self.names["SETTINGS"].update(transport=transport, port=0, token="t")
        self.names["SCRIPT"].__init__()
        said = []
        self.names["SCRIPT"].log = lambda level, text: said.append(text)
        self.names["init"](Context())
        is_open = self.names["SCRIPT"].is_open
        self.names["stop"](Context())
        return is_open, said

    def test_files_need_none(self):
        self.assertTrue(self.serve("files")[0])

    def test_a_port_is_refused_with_the_mend(self):
        is_open, said = self.serve("socket")
        self.assertFalse(is_open)
        self.assertIn("bigqmt.transport", said[0])
