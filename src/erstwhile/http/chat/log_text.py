"""Make chat text storable. The log accepts neither NUL nor lone surrogates, nor more than a number
of bytes.

It is too late to refuse the message, so the rest is kept and cuts are marked.
"""

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
    """Return the name, or None if it is not valid."""
    try:
        return None if given is None else check.identifier("name", given)
    except InvalidInput:
        return None


def record(made: dict[str, Any], largest: int) -> dict[str, Any]:
    """Return the record without invalid text; tool calls that are too large are replaced by their
    number."""
    kept = _cleaned(made)
    if len(json.dumps(kept)) > largest:
        kept["tools_not_kept"] = len(kept.pop("tools", ()))
    assert isinstance(kept, dict)
    return kept


def _storable(text: str) -> str:
    """Replace unstorable characters. Surrogate pairs split over two pieces are joined."""
    if not _UNSTORABLE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _storable(value)
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(each) for name, each in value.items()}
    return [_cleaned(each) for each in value] if isinstance(value, list | tuple) else value
