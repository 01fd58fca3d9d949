"""Tests of how long a client of the script may say nothing."""

from script_case import ScriptCase


class Hearing(object):
    """A line on which nobody says anything unless told to."""

    name = ""
    is_idle = True

    def __init__(self):
        self.coming = []
        self.closed = None

    def read(self, _bytes_max):
        coming, self.coming = self.coming, []
        return coming

    def write(self, _message):
        pass

    def flush(self):
        pass

    def room(self, wanted):
        return wanted

    def close(self, reason):
        self.closed = reason


class SilenceTest(ScriptCase):
    def session(self):
        session = self.names["Session"](Hearing(), None, 0.0)
        session.welcome("trade", {"nonce": "n"}, {}, [], "token", 0.0)
        return session

    def test_a_computer_that_slept_has_given_nobody_time_to_speak(self):
        session = self.session()
        session.pump(100.0)
        session.pump(3600000.0)
        self.assertFalse(session.is_closed)

    def test_who_says_nothing_is_given_up(self):
        session = self.session()
        most_ms = self.names["limit"]("beat_ms") * self.names["limit"]("beats_missed_max")
        now_ms = 0.0
        while now_ms < most_ms:
            now_ms += 100.0
            session.pump(now_ms)
        self.assertFalse(session.is_closed)
        session.pump(now_ms + 100.0)
        self.assertTrue(session.is_closed)

    def heard(self, *looks):
        """A session that has heard these at its looks: with each message, the second at which it is read."""
        session = self.session()
        times = [second for look in looks for second, _ in look]
        session._ages = self.names["Ages"](lambda: times.pop(0))
        for look in looks:
            session._line.coming = [{"t": "beat", "at": at} for _, at in look]
            session.pump(100.0)
        return session

    def test_clocks_that_have_gone_apart_refuse_no_call_as_late(self):
        session = self.heard([(1.0, 1000)], [(3600.0, 3000)], [], [(3602.0, 5000)])
        self.assertIn("apart", session.reason)

    def test_what_was_under_way_while_both_stood_still_ends_nothing(self):
        session = self.heard([(1.0, 1000)], [(3600.0, 3000)], [], [(3602.0, 3602000)], [(3604.0, 3590000)], [])
        self.assertFalse(session.is_closed)

    def test_what_has_waited_while_the_script_stood_still_ends_nothing(self):
        session = self.heard([(1.0, 1000)], [(20.0, 3000), (20.0, 20000)], [(40.0, 23000), (40.0, 40000)])
        self.assertFalse(session.is_closed)
