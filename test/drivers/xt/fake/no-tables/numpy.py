"""A Python without numpy."""

raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
