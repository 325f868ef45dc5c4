"""What tests need of an open memory and its users must not touch: the database, the worker, the layers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import erstwhile
from erstwhile.base.page import Page
from erstwhile.wiring import Runtime

T = TypeVar("T")

# What can be searched: rows of the log, and documents of memories.
SEARCHED = (
    "(SELECT space, doc, id, 'message' AS kind, channel, person, at, seq, seq AS until, traits FROM messages"
    " UNION ALL SELECT space, doc, id, kind, channel, person, at, seq, until, traits FROM documents)"
)


def runtime(memory: erstwhile.Memory) -> Runtime:
    return memory._open_runtime


async def pages(verb: Callable[..., Awaitable[Page[T]]], *given: Any, **more: Any) -> list[Page[T]]:
    """All pages of a list, one after the other."""
    found = [await verb(*given, **more)]
    while found[-1].next is not None:
        found.append(await verb(*given, **more, cursor=found[-1].next))
    return found
