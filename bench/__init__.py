"""Benchmarks: each prints what it measured as a Markdown table, to be kept in LOG.md with its date."""

import sys
from pathlib import Path

# The made-up community, the exports and the clients that make load are those of the tests, in tests/support.
sys.path.append(str(Path(__file__).parents[1] / "tests"))
