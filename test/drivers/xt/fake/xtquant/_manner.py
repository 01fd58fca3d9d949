"""How the releases of the package differ: FAKE_XT_MANNER names one; the newest without it.

Habits of a terminal (which spelling of the time, whether it pushes) are those of terminal.ts.
"""

import os

NEWEST = "250516"


class Manner(object):
    # Quotes: "own" = one client that connects by itself, and no function to do so; "reconnect" =
    # that, and `reconnect()`; "connect" = `connect()`, `reconnect()`, and a new client each time.
    quote_client = "connect"
    # Trading: the constructor takes the event loop of its thread.
    needs_loop = False
    has_relaxed_order = True
    can_query_cancelable = True
    # The answer to an order says why it was refused, and errors name the request they belong to.
    has_reasons = True
    has_sysid_cancel = True
    # What an account of a type that it does not know becomes: an exception, or a text in its place.
    unknown_account = "raise"
    # The import asks an index of packages, ten seconds an attempt.
    asks_index = False

    def __init__(self, **differs):
        self.__dict__.update(differs)


MANNERS = {
    "2022-09": Manner(
        quote_client="own", needs_loop=True, has_relaxed_order=False, can_query_cancelable=False,
        has_reasons=False, has_sysid_cancel=False, unknown_account="text",
    ),
    "2023-03": Manner(quote_client="reconnect", needs_loop=True, has_reasons=False),
    "2024-04": Manner(needs_loop=True),
    "2024-05": Manner(),
    "2025-03": Manner(),
    NEWEST: Manner(asks_index=True),
}

of = MANNERS[os.environ.get("FAKE_XT_MANNER") or NEWEST]
