"""One history request in a process of its own: a native assertion in the library may end it.

Reads one JSON line, writes frames (see wire.py): progress, then rows or an error, and exits.
"""

import importlib
import sys

import rows
import wire
from quotes import open_at
from ticks import lot_of

PERIODS = {"60m": "1h"}
FIELDS = ("time", "open", "high", "low", "close", "volume", "amount")
ROWS_IN_FRAME = 2000
# The library makes its tables with these; without them it has none, and everything else works.
NEEDED = ("numpy", "pandas")


def needs():
    """{name: {"version"} or {"error"}} of what the tables need in this Python."""
    found = {}
    for name in NEEDED:
        try:
            module = importlib.import_module(name)
            found[name] = {"version": str(getattr(module, "__version__", "unknown"))}
        except Exception as error:  # a build for another Python raises all sorts of things
            found[name] = {"error": "%s: %s" % (type(error).__name__, error)}
    return found


def reason(error):
    """What went wrong, and how to mend it where that is known."""
    text = "%s: %s" % (type(error).__name__, error)
    if not isinstance(error, ImportError):
        return text
    missing = [name for name, state in needs().items() if "error" in state]
    if not missing:
        return text
    return (
        "历史行情需要 %s：请执行 python -m pip install %s（用 xt.python 指定的那个 Python）"
        " (history needs %s in the Python that xt.python names; %s)"
        % (" 与 ".join(missing), " ".join(missing), " and ".join(missing), text)
    )


def serve(wanted, write, log):
    """`write(bytes)` goes to whoever asked. Returns the exit code."""

    def tell(message):
        write(wire.frame(message))

    try:
        from xtquant import xtdata

        open_at(xtdata, wanted.get("port"), log)
        if wanted["method"] == "download":
            download(xtdata, wanted, tell)
        else:
            bars(xtdata, wanted, tell)
        return 0
    except Exception as error:
        text = reason(error)
        log("error", "history, %s: %s" % (sys.executable, text))
        tell({"t": "error", "text": text})
        return 1


def download(xtdata, wanted, tell):
    """Downloads, then reads back: a download that reports success may have brought nothing."""
    code, period = wanted["code"], PERIODS.get(wanted["period"], wanted["period"])
    start, end = wanted.get("start", ""), wanted.get("end", "")
    if hasattr(xtdata, "download_history_data2"):
        def on_progress(data):
            tell({"t": "progress", "done": rows.whole(data.get("finished")),
                  "total": rows.whole(data.get("total"))})

        xtdata.download_history_data2([code], period, start, end, on_progress)
    else:
        xtdata.download_history_data(code, period, start, end)
    found = table_of(xtdata, code, period, start, end)
    tell({"t": "done", "rows": len(found)})


def bars(xtdata, wanted, tell):
    code, period = wanted["code"], PERIODS.get(wanted["period"], wanted["period"])
    found = table_of(xtdata, code, period, wanted.get("start", ""), wanted.get("end", ""))
    for at in range(0, len(found), ROWS_IN_FRAME):
        tell({"t": "rows", "rows": found[at:at + ROWS_IN_FRAME]})
    tell({"t": "done", "rows": len(found)})


def table_of(xtdata, code, period, start, end):
    """Rows of [time ms, open, high, low, close, volume in shares, amount], oldest first."""
    lot = lot_of(code)
    if not hasattr(xtdata, "get_market_data_ex"):
        raise RuntimeError(
            "此版本 xtquant 没有历史接口 get_market_data_ex，请更新终端 (this xtquant is too old for history)"
        )
    tables = xtdata.get_market_data_ex([], [code], period, start, end) or {}
    table = tables.get(code)
    if table is None or len(table) == 0:
        return []
    columns = {name: list(table[name]) for name in FIELDS}
    count = len(columns["time"])
    found = []
    for at in range(count):
        row = [rows.number(columns[name][at]) for name in FIELDS]
        row[0] = rows.time_ms(row[0])
        row[5] *= lot
        found.append(row)
    return found
