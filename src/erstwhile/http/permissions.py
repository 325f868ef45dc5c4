"""What a caller may grant or choose: no key that opens more or lasts longer than their own, nothing that the house pays for unasked."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from erstwhile.api.memory import Memory
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem
from erstwhile.keys.model import parse_expiry

_MODELS = ("model", "model_strong", "chat_model")


async def limit_expiry(wanted: str | None, caller: Caller, memory: Memory) -> datetime | str | None:
    """When a key that the caller makes may end: by itself no later than the caller's own."""
    found = await memory.keys.store.find(caller.key) if caller.key else None
    end = found[0].expires_at if found else None
    if end is None:
        return wanted
    if wanted is None:
        return end
    asked = parse_expiry(wanted, memory.keys.store.now())
    if asked is not None and asked > end:
        raise Problem(403, f"Your own key ends at {end.isoformat()}: one made with it can't last longer.")
    return asked


async def check_configuration(caller: Caller, memory: Memory, space: str, values: Mapping[str, str | None]) -> None:
    """`base_url`, which makes the server call an address, is an admin's; a model is, where the space has no api_key of its own."""
    if caller.admin:
        return
    if values.get("base_url") is not None:
        raise Problem(403, "Only an admin key may set base_url, because the server then calls that address.")
    if any(values.get(name) for name in _MODELS):
        await _pays_itself(memory, space, values.get("api_key"))


async def _pays_itself(memory: Memory, space: str, api_key: str | None) -> None:
    chosen = await memory.spaces.configuration(space=space)
    own = any(each.name == "api_key" and each.whose == "space" for each in chosen)
    if not (own if api_key is None else api_key):
        raise Problem(403, "This space has no api_key of its own. Give one with the model, or let an admin key choose.")
