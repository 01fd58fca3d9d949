"""A Python without pandas."""

raise ModuleNotFoundError("No module named 'pandas'", name="pandas")
