"""A stand-in for the package of the same name: same modules, names, argument orders and habits.

Behind it is a terminal of the test (terminal.ts), found through the file `terminal.json` in the data
folder, or through the quote port.
"""

__version__ = "0.0-fake"

from . import _manner


def _ask_index():
    """As one release does: is there a newer one? Nobody is told how that ends."""
    try:
        import requests  # noqa: F401
    except ImportError:
        return
    import time

    time.sleep(4 * 10)  # so many addresses, none of which answers


if _manner.of.asks_index:
    _ask_index()
