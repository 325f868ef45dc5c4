"""Named crash points, for tests only: `ERSTWHILE_CRASH_AT=name` (or `name:3`, the third time) kills
the process there, as kill -9 would.

In ordinary runs a point costs one comparison. `tests/support/crash_points.py` lists them.
"""

from __future__ import annotations

import os
import signal

_armed, _, _times = os.environ.get("ERSTWHILE_CRASH_AT", "").partition(":")
_left = int(_times or 1)


def point(name: str) -> None:
    if _armed == name:
        _die()


def _die() -> None:
    global _left
    _left -= 1
    if _left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
