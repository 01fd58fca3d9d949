"""Tests of the parts of the sidecar that need no other process: python test_sidecar.py <its folder>."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))

PARTS = ("test_foundations", "test_journal", "test_trading", "test_connection", "test_market")

if __name__ == "__main__":
    os.environ.pop("FAKE_XT_CRASH", None)
    unittest.main(module=None, argv=sys.argv[:1] + list(PARTS), verbosity=0)
