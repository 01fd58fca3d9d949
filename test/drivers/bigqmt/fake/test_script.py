"""Tests of the parts of the script that need no other process: python test_script.py <script>."""

import sys
import unittest

PARTS = ("test_orders", "test_reports", "test_life", "test_silence")

if __name__ == "__main__":
    # The script itself stays in the arguments, for `script_case`.
    unittest.main(module=None, argv=sys.argv[:1] + list(PARTS), verbosity=0)
