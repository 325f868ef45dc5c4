"""What the log can keep of what passes through. A provider and a client may say anything to each other; the log takes neither NUL nor half
of a surrogate pair, nor more than so many bytes. Nobody is left to be refused here: the rest is kept, and what is missing is marked."""

from __future__ import annotations

import json
import re
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.log import check

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def words(text: str, largest: int, what: str) -> str:
    text = _storable(text)
    whole = text.encode()
    if len(whole) <= largest:
        return text
    mark = f"\n\n[Cut here: the {what} has {len(whole):,} bytes.]"
    return whole[: largest - len(mark)].decode(errors="ignore") + mark


def name(given: str | None) -> str | None:
    """One that can't be a name is left out."""
    try:
        return None if given is None else check.identifier("name", given)
    except InvalidInput:
        return None


def record(made: dict[str, Any], largest: int) -> dict[str, Any]:
    """Of calls of tools that are too large, how many there were."""
    kept = _cleaned(made)
    if len(json.dumps(kept)) > largest:
        kept["tools_not_kept"] = len(kept.pop("tools", ()))
    assert isinstance(kept, dict)
    return kept


def _storable(text: str) -> str:
    """Halves of a pair that came in two pieces are put together."""
    if not _UNSTORABLE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _storable(value)
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(each) for name, each in value.items()}
    return [_cleaned(each) for each in value] if isinstance(value, list | tuple) else value
