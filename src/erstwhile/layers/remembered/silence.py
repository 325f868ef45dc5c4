"""Whose word is not recalled: what someone who is blocked said of others."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.layers.remembered import lines, store
from erstwhile.storage import Transaction


async def kept(tx: Transaction, texts: Sequence[str]) -> list[str]:
    """Told texts without the lines of anyone blocked."""
    labels = await _labels(tx) if texts else {}
    if not labels:
        return list(texts)
    parsed = [lines.parse(text) for text in texts]
    authors = {line.author for told in parsed for line in told}.intersection(labels)
    silent = {author for author in authors if not await _anothers(tx, *labels[author])}
    if not silent:
        return list(texts)
    return [lines.render(line for line in told if line.author not in silent) for told in parsed]


async def _labels(tx: Transaction) -> dict[str, tuple[str, int]]:
    """How those who are blocked may be named in a line, each with the name it is made of and since when it is theirs. An id always was."""
    found: dict[str, tuple[str, int]] = {}
    for row in await tx.all(store.queries.blocked_names):
        id, name = row["person"], row["name"] or row["person"]
        for label in (lines.label(id), lines.apart(lines.label(id), id), lines.apart(lines.label(name), id)):
            found[label] = (id, 0)
        label, since = lines.label(name), row["first_at"] or 0
        found[label] = min(found.get(label, (name, since)), (name, since), key=lambda each: each[1])
    found.pop("", None)
    return found


async def _anothers(tx: Transaction, name: str, since: int) -> bool:
    """Whether someone who is not blocked had the name before: where two have it, the bare name is whose it was first, see `who`."""
    return since > 0 and await tx.first(store.queries.had_before, name=name, since=since) is not None
