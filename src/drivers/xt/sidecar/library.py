"""xtquant itself: where it is, which one, and what it takes for granted when it is loaded and used."""

import contextlib
import importlib.machinery
import importlib.util
import os
import sys

# Asked for by one release while it is imported: it looks for a newer one on the internet, ten
# seconds an address, and starts without an answer too.
ASKED_AT_IMPORT = ("requests",)
# What launch.ts and python-probe.ts look for, to tell a slow import from a Python that does not start.
IMPORTING = "importing xtquant"


def find_xtquant(path, log):
    """Where xtquant is and which; the copy of the terminal first, because a newer one breaks things.

    Only xtquant is taken from there: the other packages beside it are built for another Python, so
    their folder never becomes one that is searched.
    """
    spec = importlib.machinery.PathFinder.find_spec("xtquant", [path]) if path else None
    if path and spec is None:
        raise ImportError("no xtquant in %s" % path)
    log("info", "%s%s" % (IMPORTING, " from %s" % path if path else ""))
    with unimportable(ASKED_AT_IMPORT):
        if spec is not None:
            module = importlib.util.module_from_spec(spec)
            sys.modules["xtquant"] = module
            spec.loader.exec_module(module)
        import xtquant

    where = os.path.dirname(os.path.abspath(xtquant.__file__))
    return {"path": where, "version": str(getattr(xtquant, "__version__", "unknown"))}


@contextlib.contextmanager
def unimportable(names):
    """An import of these fails at once, and afterwards everything is as it was."""
    before = dict((name, sys.modules[name]) for name in names if name in sys.modules)
    for name in names:
        sys.modules[name] = None
    try:
        yield
    finally:
        for name in names:
            if name in before:
                sys.modules[name] = before[name]
            elif sys.modules.get(name, True) is None:
                del sys.modules[name]


def have_event_loop():
    """Releases until 2024 take the event loop of the thread in which a trader is made; only the main thread has one."""
    import asyncio  # not for a sidecar of quotes

    try:
        if not asyncio.get_event_loop_policy().get_event_loop().is_closed():
            return
    except RuntimeError:
        pass
    asyncio.set_event_loop(asyncio.new_event_loop())


def account_of(kind, account_id, account_type):
    """An account for the library; None when that does not know the type. Releases refuse in several ways."""
    try:
        account = kind(account_id, account_type)
    except Exception:  # of no class of its own
        return None
    return account if getattr(account, "account_id", None) == account_id else None
