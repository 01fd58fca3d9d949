"""A stand-in for the package of the same name: same modules, names, argument orders and habits.

Behind it is a terminal of the test (terminal.ts), found through the file `terminal.json` in the data
folder, or through the quote port.
"""

__version__ = "0.0-fake"
