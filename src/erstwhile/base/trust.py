"""Trust tiers: whose words something is. A larger number is a tier that is trusted more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from erstwhile.base.errors import InvalidInput

TIERS: Final = ("unknown", "third_party", "tool", "assistant", "user", "self")
UNKNOWN, THIRD_PARTY, TOOL, ASSISTANT, USER, SELF = range(len(TIERS))
DECLARED: Final = ("third_party", "unknown")  # what `trust` in a message's meta may say
MARK: Final = "imported text, untrusted"  # behind the label of whoever a third party's text is of
_ROLES: Final = {"user": USER, "assistant": ASSISTANT, "system": ASSISTANT, "tool": TOOL}


def of_message(role: str, person: str | None, meta: Mapping[str, Any]) -> int:
    """Return the tier of a message. Its meta can only lower what follows from its role."""
    declared = meta.get("trust") if meta else None
    if declared in DECLARED:
        return TIERS.index(str(declared))
    return SELF if role == "user" and person is not None else _ROLES[role]


def is_declared(meta: Mapping[str, Any]) -> bool:
    return bool(meta) and isinstance(meta, Mapping) and meta.get("trust") in DECLARED


def tier(name: str | None) -> int | None:
    """Return the tier with a name, None for none."""
    if name is None:
        return None
    if name not in TIERS:
        raise InvalidInput(f"There is no trust tier {name!r}. Use one of {', '.join(TIERS)}.")
    return TIERS.index(name)
