"""Two halves of one answer of a model, for two jobs that read the same messages.

The first job that asks has both written, and the other takes its half. A half that was of no use is asked for alone
from then on, so that its failure concerns nothing else. Halves are kept in this process only: after a restart the
other job asks alone.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import replace
from typing import Final, Literal

from erstwhile.base import errors
from erstwhile.base.errors import ModelError
from erstwhile.writers.port import JointReading, Usage, WriterOutput

Half = Literal["facts", "memories"]
Halves = dict[Half, WriterOutput | ModelError]
Ask = Callable[[], Awaitable[Halves]]
Alone = Callable[[], Awaitable[WriterOutput]]

_KEPT: Final = 256  # answers; the other job of a chunk runs at the same time or soon after


class SharedAnswers:
    def __init__(self) -> None:
        self._asked: OrderedDict[str, asyncio.Future[Halves]] = OrderedDict()

    async def half(self, half: Half, joint: JointReading, ask: Ask, alone: Alone) -> WriterOutput:
        """Return a half: the one that waits, or one of a new answer, or one that is asked for alone."""
        waiting = self._asked.get(joint.key)
        if waiting is None:
            return await self._ask(half, joint.key, ask, alone) if joint.waiting else await alone()
        halves = await asyncio.shield(waiting)
        outcome = halves.pop(half, None)
        if outcome is None:
            return await alone()
        if isinstance(outcome, ModelError):
            raise outcome
        if not halves:
            self._asked.pop(joint.key, None)
        return outcome

    async def _ask(self, half: Half, key: str, ask: Ask, alone: Alone) -> WriterOutput:
        future: asyncio.Future[Halves] = asyncio.get_running_loop().create_future()
        self._asked[key] = future
        while len(self._asked) > _KEPT:
            self._asked.popitem(last=False)
        rest: Halves = {}
        outcome, spent = None, Usage()
        try:
            rest = await ask()
            outcome = rest.pop(half, None)  # None: the model left it out
        except (errors.BadAnswer, errors.RequestTooLong) as error:
            spent = Usage(*error.tokens)
        except (errors.ModelUnavailable, errors.ModelRefused) as error:
            other: Half = "memories" if half == "facts" else "facts"
            # For a job that waits now. The copy names no model, so that the call is counted once.
            failed = copy(error)
            failed.model, failed.tokens = "", (0, 0, 0)
            rest = {other: failed}
            self._asked.pop(key, None)
            raise
        finally:
            future.set_result(rest)
        if outcome is None:
            written = await alone()
            return replace(written, usage=written.usage + spent)
        if isinstance(outcome, ModelError):
            raise outcome
        return outcome
