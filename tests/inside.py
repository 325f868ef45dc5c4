"""What tests need of an open memory and its users must not touch: the database, the worker, the layers."""

from __future__ import annotations

import erstwhile
from erstwhile.wiring import Runtime


def runtime(memory: erstwhile.Memory) -> Runtime:
    return memory._open_runtime
