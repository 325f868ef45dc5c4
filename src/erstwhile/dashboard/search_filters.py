"""The filters of a search: read from the address, and written into links."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from erstwhile.base.records import dataclass
from erstwhile.base.trust import TIERS
from erstwhile.dashboard import labels
from erstwhile.search.model import Hit
from erstwhile.text import analyse

SIZE = 20  # results on a page
_BESIDE = ("chunk", "meta", "fact", "brief")  # kinds in the pane beside a conversation
_NAMES = ("person", "channel", "since", "until", "writer")


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Empty means no filter. `page` counts from 1."""

    q: str = ""
    kinds: tuple[str, ...] = ()
    person: str = ""
    channel: str = ""
    since: str = ""
    until: str = ""
    writer: str = ""
    trust: str = ""
    page: int = 1

    @classmethod
    def of(cls, given: Mapping[str, str], page: int) -> SearchFilters:
        words = {
            each.name: given.get(each.name, "")
            for each in fields(cls)
            if each.name not in ("kinds", "page")
        }
        kinds = tuple(
            dict.fromkeys(
                kind for each in given.get("kinds", "").split(",") if (kind := each.strip())
            )
        )
        return cls(kinds=kinds, page=max(1, page), **words)

    @property
    def asked(self) -> dict[str, Any]:
        """The parameters of `browse`."""
        given = {name: getattr(self, name) or None for name in (*_NAMES, "trust")}
        given["trust"] = self.trust if self.trust in TIERS else None
        return {**given, "kinds": list(self.kinds) or None}

    @property
    def offset(self) -> int:
        return (self.page - 1) * SIZE

    def address(self, **changes: Any) -> dict[str, str | int | None]:
        """Return the parameters of a link; another filter starts at its first page."""
        changed = replace(self, **{"page": 1, **changes})
        words = {name: getattr(changed, name) or None for name in ("q", *_NAMES, "trust")}
        page = changed.page if changed.page > 1 else None
        return {**words, "kinds": ",".join(changed.kinds) or None, "page": page}

    def hidden(self, *without: str) -> dict[str, str]:
        """Return the filters that a form passes on."""
        carried = {name: str(value) for name, value in self.address().items() if value is not None}
        return {name: value for name, value in carried.items() if name not in without}

    def toggled(self, kind: str) -> dict[str, str | int | None]:
        others = tuple(each for each in self.kinds if each != kind)
        return self.address(kinds=others if kind in self.kinds else (*self.kinds, kind))

    def in_month(self, month: str) -> bool:
        return (self.since, self.until) == of_month(month)

    def chips(self) -> list[tuple[str, str, dict[str, str | int | None]]]:
        """Return the chosen filters: name, value, and the address without it."""
        made = [("kind", kind, self.toggled(kind)) for kind in self.kinds]
        made += [
            (sort, value, self.address(**{sort: ""}))
            for sort in (*_NAMES, "trust")
            if (value := getattr(self, sort))
        ]
        return made


def of_month(month: str) -> tuple[str, str]:
    """Return the first and the last day of 2026-03."""
    first = date.fromisoformat(f"{month}-01")
    last = (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    return first.isoformat(), last.isoformat()


def place(hit: Hit) -> tuple[str, dict[str, str | int | None]]:
    """Return the page that shows a result, and the parameters of its address."""
    page = labels.of(hit.kind).page
    if page == "notes":
        return "/notes", {"note": hit.id}
    if page == "person" and hit.person is not None:
        return "/people/person", {"person": hit.person}
    chosen = {"memory": hit.id} if hit.kind in _BESIDE else {}  # its messages are highlighted there
    return "/conversations/channel", {"channel": hit.channel, "seq": hit.seq, **chosen}


SHOWN = 260  # characters of a text
_BEFORE = 60  # of these, before the first word found
_LONGEST = 20_000  # characters that are looked through
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u30ff\u3105-\u312f\u3400-\u9fff\ua960-\ud7fb\uf900-\ufad9\uff66-\uffdc]"
)


class SnippetPart(NamedTuple):
    text: str
    found: bool


def pieces(text: str, terms: Collection[str]) -> list[SnippetPart]:
    """Cut a text into pieces. `terms` are as in the index."""
    wanted = frozenset(terms)
    found = list(_joined(_found(text[:_LONGEST], wanted))) if wanted else []
    start = max(0, found[0][0] - _BEFORE) if found and found[0][1] > SHOWN else 0
    end = min(len(text), start + SHOWN)
    made: list[SnippetPart] = [SnippetPart("… ", False)] if start else []
    at = start
    for first, last in found:
        if last > end:
            break
        made += [SnippetPart(text[at:first], False), SnippetPart(text[first:last], True)]
        at = last
    made.append(SnippetPart(text[at:end], False))
    if end < len(text):
        made.append(SnippetPart(" …", False))
    return [piece for piece in made if piece.text]


def _found(text: str, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    for match in _WORD.finditer(text):
        word, first = match[0], match.start()
        if _DENSE.search(word):
            yield from _pairs(word, first, wanted)
        elif wanted.intersection(analyse.terms(word)):
            yield first, match.end()


def _pairs(run: str, first: int, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs: in scripts without spaces two characters in a row are a term; one where it is alone."""
    if len(run) == 1 and wanted.intersection(analyse.terms(run)):
        yield first, first + 1
    for at, (left, right) in enumerate(pairwise(run), start=first):
        if wanted.intersection(analyse.terms(left + right)):
            yield at, at + 2


def _joined(found: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join matches that touch each other."""
    held: tuple[int, int] | None = None
    for first, last in found:
        if held is not None and first <= held[1]:
            held = (held[0], max(held[1], last))
            continue
        if held is not None:
            yield held
        held = (first, last)
    if held is not None:
        yield held
