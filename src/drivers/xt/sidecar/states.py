"""What the terminal tells of an account: a session that stands, and answers, may be of one that is not logged in."""

import rows

OK = 0
# Invalid, waiting for login, failed, disabled by the system or the user: nothing works in them, as in driver.ts.
UNUSABLE = (-1, 1, 3, 8, 9)
SHUT_OUT = "账号状态 %d：请检查交易客户端登录 (the account is in state %d: is the trading client logged in?)"


class States(object):
    def __init__(self):
        self._told = (0, OK)

    def tell(self, session, state):
        self._told = (session, state)

    def of(self, session):
        """The last that was pushed in this session; OK before."""
        told_in, state = self._told
        return state if told_in == session else OK


def asked(trader, account_id, account_type):
    """The state of now; None where the library or the terminal does not say.

    Pushes have names of their own, and lists those of the terminal. One that can be used counts before others, which
    may be of another account under this number.
    """
    method = getattr(trader, "query_account_status", None)
    found = [] if method is None else [_state_in(thing, account_id, account_type) for thing in method() or ()]
    states = [state for state in found if state is not None]
    usable = [state for state in states if state not in UNUSABLE]
    return (usable or states or [None])[0]


def _state_in(thing, account_id, account_type):
    owner = rows.text(rows.of(thing, "account_id") or rows.of(thing, "m_strAccountID")).strip()
    kind = rows.whole(rows.of(thing, "account_type") or rows.of(thing, "m_nAccountType"))
    state = rows.of(thing, "status")
    state = rows.of(thing, "m_nStatus") if state is None else state
    is_ours = owner == account_id and (not kind or not account_type or kind == account_type)
    return rows.whole(state) if is_ours and state is not None else None
