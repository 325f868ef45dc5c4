"""Limits on what a caller may grant, configure and spend."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from erstwhile.api.memory import Memory
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem
from erstwhile.keys.model import parse_expiry
from erstwhile.text import tokens

_MODELS = ("model", "model_strong", "chat_model")


async def limit_expiry(wanted: str | None, caller: Caller, memory: Memory) -> datetime | str | None:
    """Return the expiry of a new key: at the latest that of the caller's own key."""
    found = await memory.keys.store.find(caller.key) if caller.key else None
    end = found[0].expires_at if found else None
    if end is None:
        return wanted
    if wanted is None:
        return end
    asked = parse_expiry(wanted, memory.keys.store.now())
    if asked is not None and asked > end:
        why = f"Your own key expires at {end.isoformat()}; a key made with it can't expire later."
        raise Problem(403, why)
    return asked


async def configure(
    caller: Caller, memory: Memory, space: str, values: Mapping[str, str | None]
) -> None:
    """Set settings of a space, if the caller may. `base_url` needs an admin key; so does a model of
    the space while it has no api_key, because the operator's key would pay."""
    if caller.admin:
        await memory.spaces.put(values, space=space)
        return
    if values.get("base_url") is not None:
        why = "Only an admin key may set base_url, because the server then calls that address."
        raise Problem(403, why)
    chooses = any(values.get(name) for name in _MODELS)

    def check(before: Mapping[str, str], after: Mapping[str, str]) -> None:
        # Also when only the key goes: the models chosen with it would stay.
        loses = "api_key" in before and any(name in after for name in _MODELS)
        if (chooses or loses) and "api_key" not in after:
            why = "This space then has no api_key of its own for its model."
            advice = "Set one, reset the models together with the key, or use an admin key."
            raise Problem(403, f"{why} {advice}")

    await memory.spaces.put(values, check, space=space)


Given = Mapping[str, Any]  # to the verb


async def take_text(_caller: Caller, memory: Memory, space: str, given: Given) -> None:
    await take_texts(memory, space, [given["text"]])


async def take_question(_caller: Caller, memory: Memory, space: str, given: Given) -> None:
    if given.get("decompose"):  # only then a model reads it
        await take_texts(memory, space, [given["query"]])


MOST_AT_A_TIME = 1000  # messages, or facts of a profile, in one request


def check_batch(count: int, what: str = "messages") -> None:
    if count > MOST_AT_A_TIME:
        why = f"{count:,} {what} are too many for one request."
        raise Problem(413, f"{why} Send at most {MOST_AT_A_TIME:,} at a time.")


async def check_facts(_caller: Caller, _memory: Memory, _space: str, given: Given) -> None:
    check_batch(len(given["facts"]), "facts")


# Checks of generated routes, by name.
GUARDS: Mapping[str, Callable[[Caller, Memory, str, Given], Awaitable[None]]] = {
    "channel_edit": take_text,
    "memory_search": take_question,
    "people_import_profile": check_facts,
}

# What is called in place of a verb, by the name of its route.
INSTEAD: Mapping[str, Callable[[Caller, Memory, str, Given], Awaitable[Any]]] = {
    "spaces_configure": configure
}


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
    why = f"The space {space!r} may send {most:,} tokens a day (UTC); these {count:,} would exceed that."
    raise Problem(429, why, headers={"Retry-After": str(wait)})
