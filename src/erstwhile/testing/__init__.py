"""Test helpers for erstwhile and for programs that use it: a scripted model server on loopback, and
a fixed clock.

Crash points are in `erstwhile.base.crash`: start a process with `ERSTWHILE_CRASH_AT=name` and it
dies there.
"""

from erstwhile.testing.calls import Call, Reply, ToolCall
from erstwhile.testing.faults import Fault, FaultMix
from erstwhile.testing.model_server import FixedClock, ModelServer

__all__ = ["Call", "Fault", "FaultMix", "FixedClock", "ModelServer", "Reply", "ToolCall"]
