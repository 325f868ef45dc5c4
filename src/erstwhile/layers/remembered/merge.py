"""Remembering and forgetting without a model: the words stay as they were told, line by line. Plain functions.

Newer wins where both can't hold; whose word a line is decides who may put another in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from erstwhile.language import DEFAULT, languages, of
from erstwhile.language.statements import ListedItems, Statements, Stems
from erstwhile.layers.remembered import lines, slots, third
from erstwhile.layers.remembered.lines import Line
from erstwhile.text import analyse, detection


@dataclass(frozen=True, slots=True)
class Teller:
    """Whose word it is: "" for the person's own and the app's, who may put anything in its place or take it away. `labels`: all the
    names under which earlier lines are the same one's."""

    label: str = ""
    labels: frozenset[str] = frozenset()

    @property
    def own(self) -> bool:
        return not self.label

    def may_touch(self, line: Line) -> bool:
        return self.own or line.author == self.label or line.author in self.labels


@dataclass(frozen=True, slots=True)
class MergeResult:
    """`changed`: whether anything did; `removed`: lines that are gone."""

    text: str
    changed: bool
    removed: tuple[str, ...] = ()


Gone = Callable[[str], bool]
Names = tuple[str, ...]  # of the person: the one in use first, then the others


def remember(text: str, words: str, names: Names, teller: Teller, flag: str = "") -> MergeResult:
    known = lines.parse(text)
    if flag:
        said = lines.quotation(words, teller.label or (names[0] if names else ""))
        return _merged(text, known, known if said in known else [*known, said])
    kept = known
    for body in third.statements(lines.seen(words), names[0], names[1:], teller=teller.label):
        kept = _taken_in(kept, _safe(Line(body, teller.label), names), names, teller)
    return _merged(text, known, kept)


def _safe(line: Line, names: Names) -> Line:
    """What would be read as somebody else's word is told with the person's name in front; what is no single statement even so, quoted."""
    if lines.whole(line):
        return line
    named = replace(line, body=f"{names[0]}: {line.body}")
    return named if lines.whole(named) else lines.quotation(line.body, line.author or names[0])


def overruled(known: Sequence[Line], words: str, names: Names, teller: Teller) -> list[Line]:
    """Lines without what the words contradict, as far as the teller may."""
    kept = list(known)
    for body in third.statements(lines.seen(words), names[0], names[1:], teller=teller.label):
        free = [
            line if line.quoted or not teller.may_touch(line) else _without_contradiction(line, body, names)
            for line in kept
        ]
        kept = [line for line in free if line is not None]
    return kept


def everything(words: str, names: Names) -> bool:
    """Whether all that is told of the person is meant."""
    named = "|".join(map(re.escape, filter(None, names)))
    said = words.strip().rstrip(".!。！~ ")
    known = [each.statements.everything for each in languages() if each.statements]
    return any(re.fullmatch(each.format(names=named), said, re.IGNORECASE) for each in filter(None, known))


def forget(text: str, words: str, names: Names, teller: Teller) -> MergeResult:
    known = lines.parse(text)
    kept: list[Line] = []
    clear = everything(words, names)
    wanted = _Wanted.of(lines.seen(words), names, teller.label)
    for line in known:
        if not teller.may_touch(line):
            kept.append(line)
        elif not clear:
            left = _left(line, lambda part: wanted.meets(part, names), names)
            kept += [left] if left else []
    return _merged(text, known, kept)


def _merged(text: str, known: Sequence[Line], kept: Sequence[Line]) -> MergeResult:
    if list(known) == list(kept):
        return MergeResult(text, changed=False)
    gone = tuple(line.text for line in known if line not in kept)
    return MergeResult(lines.render(kept), True, gone)


# Remembering


def _taken_in(known: list[Line], new: Line, names: Names, teller: Teller) -> list[Line]:
    if any(_same(line, new, names) for line in known):
        return known
    kept: list[Line] = []
    place = None
    for line in known:
        left: Line | None = line
        if not line.quoted and teller.may_touch(line):
            left = _without_contradiction(line, new.body, names)
        if left is not line and place is None:
            place = len(kept) + (1 if left is not None else 0)
        kept += [left] if left is not None else []
    kept.insert(len(kept) if place is None else place, new)
    return kept


def _same(line: Line, new: Line, names: Names) -> bool:
    if line.quoted or line.author != new.author:
        return False
    if _bare(line.body) == _bare(new.body):
        return True
    said = slots.of(new.body, names)
    return said is not None and any(
        (told := slots.of(part, names)) is not None
        and told.same(said)
        and slots.terms(part, names) >= slots.terms(new.body, names)
        for part in _parts(line.body, names)
    )


def _parts(body: str, names: Names) -> list[str]:
    """Every single thing that a sentence says."""
    found = []
    for part in clauses(body, names):
        several = _listed(part)
        found += [several.alone(item) for item in several.items] if several else [part]
    return found


def _bare(body: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", body.casefold()).split())


def _without_contradiction(line: Line, new: str, names: Names) -> Line | None:
    slot = slots.of(new, names)

    def clashes(clause: str) -> bool:
        told = slots.of(clause, names)
        if slot is not None and told is not None and slot.contradicts(told):
            return True
        return slots.opposite(new, clause, names)

    return _left(line, clashes, names)


def _left(line: Line, gone: Gone, names: Names) -> Line | None:
    """What is left of a line without the parts that are `gone`; the line itself if none is."""
    parts = clauses(line.body, names)
    left: list[str] = []
    for part in parts:
        shorter = _without_item(part, gone)
        if shorter is not None:
            left.append(shorter)
        elif not gone(part):
            left.append(part)
    if left == parts:
        return line
    if len(parts) == 1 and left:
        return replace(line, body=left[0] if re.search(r"[.。!]\Z", left[0]) else left[0] + line.body[-1:])
    return _joined(line, left, names)


def clauses(body: str, names: Names) -> list[str]:
    """What a sentence says, part by part, each with its subject."""
    return _split(body)(body, _subject(body, names))


def _split(body: str) -> Callable[[str, str], list[str]]:
    found = detection.reader(body, "statements")
    words = found.statements if found else None
    return words.clauses if words and words.clauses else _default().clauses or (lambda body, _subject: [body])


def _default() -> Statements:
    return of(DEFAULT).statements or Statements()


def _subject(body: str, names: Names) -> str:
    """Of whom it is: the person, or someone or something of theirs ("Alice's mother")."""
    for name in filter(None, names):
        match = re.match(rf"{re.escape(name)}(?:{_owned()})?", body, re.IGNORECASE)
        if match:
            return match[0]
    return ""


@cache
def _owned() -> str:
    return "|".join(each.statements.owned for each in languages() if each.statements and each.statements.owned)


def _joined(line: Line, left: Sequence[str], names: Names) -> Line | None:
    """One sentence again; what had its subject from the part before it loses it again."""
    if not left:
        return None
    found = detection.reader(left[0], "statements")
    words = found.statements if found else None
    join = words.join if words and words.join else _default().join
    return replace(line, body=join(left, _subject(left[0], names)) if join else " ".join(left))


# Forgetting


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be forgotten. A bare topic ("pizza") has no direction: whatever is told of it goes."""

    slot: slots.Slot | None
    terms: frozenset[str]
    stems: Stems
    words: Statements
    states: bool
    negated: bool

    @classmethod
    def of(cls, words: str, names: Names, teller: str) -> _Wanted:
        said = third.statements(words, names[0], names[1:], teller=teller) or [words]
        found = detection.reader(words, "statements")
        own = (found.statements if found else None) or _default()
        plain = re.sub(own.empty, "", words) if own.empty else words
        terms = slots.terms(plain, names) - _empty(own.empty_words)
        stems = own.stems(words, names) if own.stems else ()
        states = any(verb for _, verb in stems) if own.stems else not own.states or _stated(own.states, words)
        return cls(slots.of(said[0], names), terms, stems, own, states, slots.negated(words))

    def meets(self, body: str, names: Names) -> bool:
        told = slots.of(body, names)
        if self.slot is not None and told is not None:
            if self.slot.name == told.name:
                return self.slot.same(told) or (self.slot.value == told.value and self.slot.side == told.side)
            return False
        if self.states and self.negated != slots.negated(body):
            return False
        if self.stems and self.words.meets:
            return self.words.meets(self.stems, body)
        there = frozenset(analyse.terms(body))
        return bool(self.terms) and self.terms <= there


@cache
def _empty(words: str) -> frozenset[str]:
    return frozenset(analyse.terms(words))


def _stated(states: str, words: str) -> bool:
    return re.search(states, words, re.IGNORECASE) is not None


def _without_item(part: str, gone: Gone) -> str | None:
    """A list that loses what is `gone` of it; None when that is nothing, or all."""
    found = _listed(part)
    if found is None:
        return None
    left = [item for item in found.items if not gone(found.alone(item))]
    return found.of(left) if left and len(left) < len(found.items) else None


def _listed(part: str) -> ListedItems | None:
    for each in languages():
        found = each.statements.listed(part) if each.statements and each.statements.listed else None
        if found:
            return found
    return None
