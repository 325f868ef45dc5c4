"""Default answers to the prompts of the layer profiles."""

from __future__ import annotations

import json
import re

from erstwhile.testing.calls import Call

_FACT = re.compile(
    r'<fact number="(\d+)" section="\w+" said="[^"]*" by="([^"]*)" place="([^"]*)"( fixed="yes")?>(.*?)</fact>',
    re.DOTALL,
)


def answer(call: Call) -> str | None:
    """Return None if the prompt is not one of this layer. Facts that differ only in case and full
    stop are merged."""
    if '"drop"' not in call.system:
        return None
    first: dict[tuple[str, ...], int] = {}
    drop = []
    for number, by, place, fixed, text in _FACT.findall(call.user):
        said = (by, place, " ".join(re.findall(r"\w+", text.casefold())))
        known = first.setdefault(said, int(number))
        if known != int(number) and not fixed:
            drop.append({"fact": int(number), "because": "duplicate", "by": known})
    return json.dumps({"facts": [], "drop": drop})
