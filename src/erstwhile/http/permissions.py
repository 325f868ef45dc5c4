"""Limits on what a caller may grant or configure: no longer key than their own, no models at the
operator's cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from erstwhile.api.memory import Memory
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem
from erstwhile.keys.model import parse_expiry

_MODELS = ("model", "model_strong", "chat_model")


async def limit_expiry(wanted: str | None, caller: Caller, memory: Memory) -> datetime | str | None:
    """Return the expiry of a new key: by default, and at the latest, that of the caller's own
    key."""
    found = await memory.keys.store.find(caller.key) if caller.key else None
    end = found[0].expires_at if found else None
    if end is None:
        return wanted
    if wanted is None:
        return end
    asked = parse_expiry(wanted, memory.keys.store.now())
    if asked is not None and asked > end:
        raise Problem(403, f"Your own key expires at {end.isoformat()}; a key made with it can't expire later.")
    return asked


async def check_configuration(caller: Caller, memory: Memory, space: str, values: Mapping[str, str | None]) -> None:
    """Raise Problem if the caller may not set these values. `base_url` needs an admin key; so does
    a model if the space has no api_key."""
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
        raise Problem(
            403, "This space has no api_key of its own. Set one together with the model, or use an admin key."
        )
