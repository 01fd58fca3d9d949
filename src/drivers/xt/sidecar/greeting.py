"""How a client and a sidecar meet: both prove that they know the token without sending it."""

import collections
import hashlib
import hmac
import time

MAGIC = "steward-xt"
VERSION = [1, 1]
GREETING_BYTES_MAX = 4096
STRANGERS_MAX = 4
# Messages whose times are compared; a heartbeat comes every two seconds.
AGES_KEPT = 64


def proof(token, who, first, second):
    text = "|".join((MAGIC, who, first, second))
    return hmac.new(token.encode("utf-8"), text.encode("utf-8"), hashlib.sha256).hexdigest()


def objection(hello, nonce, token):
    """Why this is no client of ours, as the refusal that it is told; None when it is one."""
    if not isinstance(hello, dict) or hello.get("t") != "hello" or hello.get("magic") != MAGIC:
        return {"code": "NOT_A_CLIENT", "text": "this port speaks %s only" % MAGIC}
    version = hello.get("version")
    if not isinstance(version, list) or version[:1] != VERSION[:1]:
        return {"code": "VERSION", "text": "this sidecar speaks version %s" % VERSION}
    expected = proof(token, "client", nonce, str(hello.get("nonce")))
    if not hmac.compare_digest(expected.encode("utf-8"), str(hello.get("proof")).encode("utf-8", "replace")):
        return {"code": "TOKEN", "text": "the token is not the one of this sidecar"}
    return None


def fenced(epoch, is_served):
    """For an earlier owner of the account."""
    refusal = {"code": "FENCED", "text": "a later owner of this account has been here"}
    return dict(refusal, epoch=epoch, is_served=is_served)


class Ages(object):
    """How long messages have waited before they were read.

    Each bears the time of its sender, whose clock began who knows when: what lies between the two clocks
    is the smallest difference seen lately, because a message that was read at once has waited for nothing.
    """

    def __init__(self, now=time.monotonic):
        self._now = now
        self._offsets = collections.deque(maxlen=AGES_KEPT)

    def of(self, message):
        """Milliseconds; 0 where the sender does not say (an earlier version of the service)."""
        at = message.get("at")
        if not isinstance(at, (int, float)):
            return 0
        offset = self._now() * 1000.0 - at
        self._offsets.append(offset)
        return offset - min(self._offsets)

    def until_ms(self, message):
        """The last moment, on our steady clock, at which a call may begin; None where the sender sets none.

        It stands still with nobody: a sender that was stopped after it had decided sends what is over.
        """
        until = message.get("until")
        if not isinstance(until, (int, float)) or not self._offsets:
            return None
        return until + min(self._offsets)
