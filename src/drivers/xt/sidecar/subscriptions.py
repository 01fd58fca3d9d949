"""What is subscribed at the terminal, and how one sees that it is not any more. No call is made here.

The library connects anew by itself and forgets what was subscribed, and a terminal that changes its
quote server stops pushing: nobody says so. Three things tell: another client object, a client whose
connection was gone, and looks that bring newer ticks again and again where no push does.
"""

import threading


class Subscriptions:
    """A code counts as silent after `behind_max` looks in a row that were ahead of its pushes.

    Where subscribing anew did not help, so many looks become twice as many, up to `patience_max`: some
    terminals push nothing, some not every code. It is never done twice within `min_s`.
    """

    def __init__(self, behind_max, patience_max, min_s):
        self._behind_max = behind_max
        self._patience_max = patience_max
        self._min_s = min_s
        self._lock = threading.Lock()
        self._wanted = {}
        self._numbers = {}
        self._ahead = {}
        self._patience = {}
        self._client = None
        self._silent = set()
        self._next = 0.0
        self.renewals = 0

    @property
    def wanted(self):
        with self._lock:
            return list(self._wanted)

    @property
    def missing(self):
        """Wanted, and not subscribed as far as is known."""
        with self._lock:
            return [code for code, number in self._wanted.items() if number is None]

    @property
    def numbers(self):
        """Of the subscriptions that stand."""
        with self._lock:
            return sorted(self._numbers)

    @property
    def client(self):
        """Through which they were made; None while there are none."""
        return self._client

    def want(self, codes):
        with self._lock:
            for code in codes:
                self._wanted.setdefault(code, None)

    def subscribed(self, client, number, codes):
        with self._lock:
            self._client = client
            self._numbers[number] = True
            for code in codes:
                self._wanted[code] = number

    def lost(self):
        """They went with their connection; the next one gives the same numbers to others."""
        with self._lock:
            self._forget()
            self.renewals += 1

    def begin_anew(self):
        """The numbers to give back, and the codes behind them, which are then subscribed again."""
        with self._lock:
            numbers = sorted(self._numbers)
            codes = [code for code, number in self._wanted.items() if number is not None]
            for code in self._silent:
                patience = self._patience.get(code, self._behind_max)
                self._patience[code] = min(patience * 2, self._patience_max)
            self._forget()
            self.renewals += 1
        return numbers, codes

    def _forget(self):
        self._client = None
        self._numbers.clear()
        self._ahead.clear()
        self._silent.clear()
        for code in self._wanted:
            self._wanted[code] = None

    def pushed(self, code):
        """On the callback thread: this one lives."""
        if code in self._ahead or code in self._patience:
            with self._lock:
                self._ahead.pop(code, None)
                self._patience.pop(code, None)
                self._silent.discard(code)

    def polled(self, code):
        """A look has brought what no push did."""
        with self._lock:
            if self._wanted.get(code) is None:
                return
            self._ahead[code] = self._ahead.get(code, 0) + 1
            if self._ahead[code] >= self._patience.get(code, self._behind_max):
                self._silent.add(code)

    def is_due(self, now):
        """Whether to subscribe anew what stands, which is not done too often."""
        with self._lock:
            if not self._silent or now < self._next:
                return False
            self._next = now + self._min_s
            return True
