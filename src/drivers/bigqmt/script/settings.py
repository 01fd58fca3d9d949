"""What the generator knows and this script does not: whose account, where, and every limit."""

SETTINGS = {}

# Of a script that was generated without them; the service always writes its own.
LIMITS = {
    "settle_ms": 30000,
    "tick_ms": 100,
    "calls_per_tick": 20,
    "ms_per_tick": 20,
    "beat_ms": 2000,
    "beats_missed_max": 5,
    "handshake_ms": 5000,
    "calls_max": 256,
    "frame_bytes_max": 8388608,
    "outbox_bytes_max": 67108864,
    "files_max": 2048,
    "file_bytes_max": 8388608,
    "history_bars_max": 8000,
    "look_ms": 1000,
    "proof_ms": 3000,
    "proofs_missed_max": 3,
    "retry_ms": 2000,
    "events_waiting_max": 10000,
    "deals_known_max": 50000,
    "codes_max": 5000,
    "renew_ms": 10000,
}


def setting(name, default=""):
    return SETTINGS.get(name, default)


def limit(name):
    """The limit of this name in the settings, else the one above."""
    return SETTINGS.get("limits", {}).get(name, LIMITS[name])
