"""Lanes: who waits for whom.

A call into the trading client may never come back, and a Python thread cannot be killed. So every
call has a deadline: when it passes, the caller is answered, the thread is left behind and replaced.
Too many threads left behind mean that this process is of no more use (see bridge.py).
"""

import collections
import threading
import time


# The name of the calls that place an order.
ORDER_CALL = "submit"


class CallError(Exception):
    """A call that failed in a known way; `code` is a word of the protocol."""

    def __init__(self, code, text):
        Exception.__init__(self, text)
        self.code = code
        self.text = text


class Job:
    """One call: `work` runs on a thread of the lane, `settle(ok, result)` is called exactly once."""

    def __init__(self, name, work, settle, timeout_ms):
        self.name = name
        self.work = work
        self.deadline = time.monotonic() + timeout_ms / 1000.0
        self.begun = 0.0
        self._settle = settle
        self._lock = threading.Lock()
        self.is_settled = False

    def finish(self, ok, result):
        with self._lock:
            if self.is_settled:
                return False
            self.is_settled = True
        self._settle(ok, result)
        return True


class Lane:
    """Serves jobs in order on `width` threads. One more than `depth_max` waiting jobs is refused."""

    def __init__(self, name, width, depth_max, log):
        self.name = name
        self._depth_max = depth_max
        self._log = log
        self._waiting = collections.deque()
        self._running = {}
        self._left_behind = {}
        self._changed = threading.Condition()
        self._next_worker = 0
        for _ in range(width):
            self._start_worker()

    def offer(self, job):
        with self._changed:
            if len(self._waiting) >= self._depth_max:
                return False
            self._waiting.append(job)
            self._changed.notify()
        return True

    @property
    def depth(self):
        return len(self._waiting)

    @property
    def leaked(self):
        return len(self._left_behind)

    @property
    def is_idle(self):
        with self._changed:
            return not self._waiting and not self._running

    def left_behind(self, name):
        """How many calls of this name were given up and have not come back: they may still do their work."""
        with self._changed:
            return sum(job.name == name for job in self._left_behind.values())

    def standing_s(self, name, now):
        """For how long the oldest call of this name has been under way, given up or not."""
        with self._changed:
            jobs = list(self._running.values()) + list(self._left_behind.values())
        return max([now - job.begun for job in jobs if job.name == name], default=0.0)

    def give_up_late(self, now):
        """Answers calls whose time is up and replaces the threads that they hold."""
        late = []
        with self._changed:
            for worker, job in list(self._running.items()):
                if now >= job.deadline:
                    self._left_behind[worker] = self._running.pop(worker)
                    late.append((job, "TIMEOUT", "the trading client has not answered in time"))
                    self._start_worker()
            for job in [job for job in self._waiting if now >= job.deadline]:
                self._waiting.remove(job)
                late.append((job, "NOT_STARTED", "the calls before it have taken too long"))
        for job, code, text in late:
            self._give_up(job, code, text)

    def _give_up(self, job, code, text):
        self._log("warning", "%s gave up %s: %s" % (self.name, job.name, text))
        self._finish(job, False, CallError(code, text))

    def _finish(self, job, ok, result):
        """Whoever is told may fail, and no thread of the lane ends with that."""
        try:
            job.finish(ok, result)
        except Exception as error:
            self._log("error", "the answer to %s: %s: %s" % (job.name, type(error).__name__, error))

    def _start_worker(self):
        self._next_worker += 1
        worker = self._next_worker
        name = "%s-%d" % (self.name, worker)
        threading.Thread(target=self._serve, args=(worker,), name=name, daemon=True).start()

    def _serve(self, worker):
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                job = self._waiting.popleft()
                job.begun = time.monotonic()
                is_late = job.begun >= job.deadline
                if not is_late:
                    self._running[worker] = job
            if is_late:  # the watch has not come by yet, as when this process stood still
                self._give_up(job, "NOT_STARTED", "its time was up before it could begin")
                continue
            ok, result = self._run(job)
            with self._changed:
                was_left_behind = self._running.pop(worker, None) is None
                self._left_behind.pop(worker, None)
            self._finish(job, ok, result)
            if was_left_behind:
                return  # another thread has its place

    def _run(self, job):
        try:
            return True, job.work()
        except CallError as error:
            return False, error
        except Exception as error:  # whatever the trading client's library throws
            self._log("error", "%s: %s: %s" % (job.name, type(error).__name__, error))
            return False, CallError("FAILED", "%s: %s" % (type(error).__name__, error))


class Watch:
    """Looks at all lanes in short intervals.

    `on_wedged(text)` is called once: when too many threads hang, or when an order has been standing
    inside the library for `stuck_s` (0: however long), because while it does nobody can say what became
    of it, and only the end of this process ends it.
    """

    def __init__(self, lanes, leaks_max, stuck_s, on_wedged, interval_s=0.02):
        self._lanes = lanes
        self._leaks_max = leaks_max
        self._stuck_s = stuck_s
        self._on_wedged = on_wedged
        self._interval_s = interval_s
        threading.Thread(target=self._look, name="watch", daemon=True).start()

    @property
    def leaked(self):
        return sum(lane.leaked for lane in self._lanes)

    def _look(self):
        while True:
            time.sleep(self._interval_s)
            now = time.monotonic()
            for lane in self._lanes:
                lane.give_up_late(now)
            text = self._wedged(now)
            if text:
                self._on_wedged(text)
                return

    def _wedged(self, now):
        if self.leaked > self._leaks_max:
            return "%d calls into the trading client never came back" % self.leaked
        stood_s = max(lane.standing_s(ORDER_CALL, now) for lane in self._lanes)
        if self._stuck_s and stood_s >= self._stuck_s:
            text = "an order call has been standing in the trading client's library for %d s"
            return text % stood_s
        return ""
