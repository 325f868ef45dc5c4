"""Split a writer's answer into single facts, whatever its formatting."""

from __future__ import annotations

import re

_BULLET = re.compile(r"^\s{0,8}(?:[-*•·‣▪–—]|\d{1,3}[.)])\s+")
_FENCE = re.compile(r"^\s*```")


def split(answer: str) -> list[str]:
    """Return one fact per bullet, with the lines that belong to it; without bullets, per paragraph."""
    rows = [row.rstrip() for row in answer.splitlines() if not _FENCE.match(row)]
    if any(_BULLET.match(row) for row in rows):
        facts = _bulleted(rows)
    else:
        facts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", "\n".join(rows))]
    return list(dict.fromkeys(fact for fact in facts if fact))


def _bulleted(rows: list[str]) -> list[str]:
    facts: list[str] = []
    inside = False
    for row in rows:
        bullet = _BULLET.match(row)
        if bullet:
            facts.append(row[bullet.end() :].strip())
        elif not row.strip():
            inside = False
            continue
        elif inside:
            facts[-1] += " " + row.strip()
        elif not row.rstrip().endswith((":", "：")):  # "Here are the facts:" is not a fact
            facts.append(row.strip())
        inside = bool(facts)
    return facts
