"""As much of pandas as the stand-in asks for: that it is there."""

__version__ = "0.0-fake"
