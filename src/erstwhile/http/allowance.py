"""Limits on the size of one request and on the tokens of a space per day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from erstwhile.api.memory import Memory
from erstwhile.http.problems import Problem
from erstwhile.text import tokens


def check_batch(memory: Memory, count: int) -> None:
    most = memory.settings.limits.batch_messages
    if count > most:
        raise Problem(413, f"{count:,} messages are too many for one request. Send at most {most:,} at a time.")


async def take_texts(memory: Memory, space: str, texts: Iterable[str]) -> None:
    """Count the tokens of texts against the daily limit, if there is one."""
    if memory.settings.limits.tokens_per_day:
        await take(memory, space, sum(map(tokens.count, texts)))


async def take(memory: Memory, space: str, count: int) -> None:
    """Count tokens against the space's daily limit. Raises Problem, and counts nothing, if it is
    exceeded.

    Tokens are counted before the work is done, so failed and repeated requests count too."""
    most = memory.settings.limits.tokens_per_day
    if not most or await memory.keys.store.spend(space, count, most):
        return
    now = memory.keys.store.now()
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    wait = max(1, round((midnight - now).total_seconds()))
    raise Problem(
        429,
        f"The space {space!r} may send {most:,} tokens a day (UTC); these {count:,} would exceed that.",
        headers={"Retry-After": str(wait)},
    )
