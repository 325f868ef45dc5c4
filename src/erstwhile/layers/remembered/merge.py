"""Remember and forget without a model. The words stay as they were told, line by line.

A newer statement replaces one it contradicts, if its author may change that line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import takewhile

from erstwhile.base.records import dataclass
from erstwhile.language import DEFAULT, codes, languages, of
from erstwhile.language.statements import ListedItems, Statements, Stems
from erstwhile.layers.remembered import lines, slots, third_person
from erstwhile.layers.remembered.lines import Line
from erstwhile.layers.remembered.model import FORGET, RememberRequest, Teller
from erstwhile.layers.remembered.names import PersonNames
from erstwhile.text import analyse, detection


@dataclass(frozen=True, slots=True)
class MergeResult:
    """A new text. `removed`: lines that are gone; `unsure`: those perhaps meant, if none is."""

    text: str
    changed: bool
    removed: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()


_SURE = 2  # words of what is to be forgotten; by fewer, other forms of them are only named
# Characters that two forms of a word have in common at least, and those after.
_STEM, _ENDING = 5, 3
_PART = 3  # characters of the first word of a compound
_MOST_PAIRS = 0.7  # of the pairs of characters: some of them are of no word
Match = Callable[[str], bool]
Names = tuple[str, ...]  # of the person, the current one first


def apply(text: str, telling: RememberRequest, who: PersonNames) -> MergeResult:
    teller = who.teller(telling.said_by)
    if telling.action == FORGET:
        return forget(text, telling.words, who.names, teller)
    return remember(text, telling.words, who.names, teller, telling.flag)


def remember(text: str, words: str, names: Names, teller: Teller, flag: str = "") -> MergeResult:
    known = lines.parse(text)
    if flag:
        said = lines.quotation(words, teller.label or (names[0] if names else ""))
        return _merged(text, known, known if said in known else [*known, said])
    kept = known
    for body in _statements(words, names, teller):
        kept = _added(kept, _safe(Line(body, teller.label), names), names, teller)
    return _merged(text, known, kept)


def _safe(line: Line, names: Names) -> Line:
    """Put the person's name in front if the line can't be parsed back; else quote it."""
    if lines.whole(line):
        return line
    named = replace(line, body=f"{names[0]}: {line.body}")
    return named if lines.whole(named) else lines.quotation(line.body, line.author or names[0])


def overruled(known: Sequence[Line], words: str, names: Names, teller: Teller) -> list[Line]:
    """Return the lines without what the words contradict, where the teller may change them."""
    kept = list(known)
    for body in _statements(words, names, teller):
        left = (_without_contradiction(line, body, names, teller) for line in kept)
        kept = [line for line in left if line is not None]
    return kept


def _statements(words: str, names: Names, teller: Teller) -> list[str]:
    return third_person.statements(lines.seen(words), names[0], names[1:], teller=teller.label)


def everything(words: str, names: Names) -> bool:
    """Return whether the words mean everything that is remembered about the person."""
    named = "|".join(map(re.escape, filter(None, names)))
    said = words.strip().rstrip(".!。！~ ")
    known = [each.statements.everything for each in languages() if each.statements]
    forms = (each.format(names=named) for each in known if each)
    return any(re.fullmatch(each, said, re.IGNORECASE) for each in forms)


def forget(text: str, words: str, names: Names, teller: Teller) -> MergeResult:
    known = lines.parse(text)
    kept: list[Line] = []
    clear = everything(words, names)
    wanted = _Topic.of(lines.seen(words), names, teller.label)
    for line in known:
        if not teller.may_touch(line):
            kept.append(line)
        elif not clear:
            left = _without(line, lambda part: wanted.matches(part, names), names)
            kept += [left] if left else []
    merged = _merged(text, known, kept)
    mine = [line for line in known if teller.may_touch(line)]
    return merged if merged.changed else _forget_alike(text, known, mine, (wanted, names))


def _forget_alike(
    text: str, known: Sequence[Line], mine: Sequence[Line], about: tuple[_Topic, Names]
) -> MergeResult:
    """Forget the one line that says it in other forms of its words: "mango allergy" is "allergic to
    mango". Of several, or by a single word, none is taken: they are named."""
    wanted, names = about

    def is_like(line: Line) -> bool:
        return any(wanted.is_like(part, names) for part in _parts(line.body, names))

    alike = [line for line in mine if is_like(line)]
    if len(alike) != 1 or not wanted.is_sure(alike[0].body):
        return MergeResult(text, changed=False, unsure=tuple(line.text for line in alike))
    left = _without(alike[0], lambda part: wanted.is_like(part, names), names)
    changed = (left if line is alike[0] else line for line in known)
    return _merged(text, known, [line for line in changed if line is not None])


def _merged(text: str, known: Sequence[Line], kept: Sequence[Line]) -> MergeResult:
    if list(known) == list(kept):
        return MergeResult(text, changed=False)
    gone = tuple(line.text for line in known if line not in kept)
    return MergeResult(lines.render(kept), True, gone)


# Remembering


def _added(known: list[Line], new: Line, names: Names, teller: Teller) -> list[Line]:
    """Add a line in the place of the first one it contradicts, else at the end."""
    if any(_same(line, new, names) for line in known):
        return known
    kept: list[Line] = []
    place = None
    for line in known:
        left = _without_contradiction(line, new.body, names, teller)
        if left is not line and place is None:
            place = len(kept) + (1 if left is not None else 0)
        kept += [left] if left is not None else []
    kept.insert(len(kept) if place is None else place, new)
    return kept


@lru_cache(8192)  # every new statement is compared with the same lines
def _keys(body: str, names: Names) -> frozenset[object]:
    """Return what a line must share with a statement that says the same or contradicts it: the
    words of the whole, the slot or the assertion of one of its parts."""
    parts = {body, *clauses(body, names), *_parts(body, names)}
    filled = filter(None, (slots.of(part, names) for part in parts))
    said = {slots.asserted(part, names) for part in parts}
    return frozenset([_bare(body), *(slot.name for slot in filled), *said])


def _are_related(one: str, other: str, names: Names) -> bool:
    return not _keys(one, names).isdisjoint(_keys(other, names))


def _same(line: Line, new: Line, names: Names) -> bool:
    if line.quoted or line.author != new.author or not _are_related(line.body, new.body, names):
        return False
    if _bare(line.body) == _bare(new.body):
        return True
    said = slots.of(new.body, names)
    if said is None:
        return False
    same = [part for part in _parts(line.body, names) if slots.of(part, names) == said]
    return any(slots.terms(part, names) >= slots.terms(new.body, names) for part in same)


def _parts(body: str, names: Names) -> list[str]:
    """Return every single statement of a sentence, list items too."""
    found = []
    for part in clauses(body, names):
        several = _listed(part)
        found += [several.alone(item) for item in several.items] if several else [part]
    return found


def _bare(body: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", body.casefold()).split())


def _without_contradiction(line: Line, new: str, names: Names, teller: Teller) -> Line | None:
    if line.quoted or not teller.may_touch(line) or not _are_related(line.body, new, names):
        return line
    slot = slots.of(new, names)

    def clashes(clause: str) -> bool:
        told = slots.of(clause, names)
        if slot is not None and told is not None and slot.contradicts(told):
            return True
        return slots.opposite(new, clause, names)

    return _without(line, clashes, names)


def _without(line: Line, gone: Match, names: Names) -> Line | None:
    """Return a line without the parts that are `gone`; the line itself if none is."""
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
        end = "" if re.search(r"[.。!]\Z", left[0]) else line.body[-1:]
        return replace(line, body=left[0] + end)
    return _joined(line, left, names)


def clauses(body: str, names: Names) -> list[str]:
    """Split a sentence into its clauses, each with its subject."""
    words = _grammar(body)
    split = words.clauses if words and words.clauses else _default().clauses
    return split(body, _subject(body, names)) if split else [body]


def _grammar(text: str) -> Statements | None:
    """Return the statement grammar of a text's language."""
    found = detection.reader(text, "statements")
    return found.statements if found else None


def _default() -> Statements:
    return of(DEFAULT).statements or Statements()


def _subject(body: str, names: Names) -> str:
    """Return whom it is about: the person, or someone or something of theirs ("Alice's mother")."""
    for name in filter(None, names):
        match = re.match(rf"{re.escape(name)}(?:{_owned()})?", body, re.IGNORECASE)
        if match:
            return match[0]
    return ""


@cache
def _owned() -> str:
    known = (each.statements for each in languages())
    return "|".join(each.owned for each in known if each and each.owned)


def _joined(line: Line, left: Sequence[str], names: Names) -> Line | None:
    """Join clauses to one sentence. A clause that got its subject from the one before loses it."""
    if not left:
        return None
    words = _grammar(left[0])
    join = words.join if words and words.join else _default().join
    return replace(line, body=join(left, _subject(left[0], names)) if join else " ".join(left))


# Forgetting


@dataclass(frozen=True, slots=True)
class _Topic:
    """What to forget. A bare topic ("pizza") asserts nothing: every statement about it matches."""

    slot: slots.Slot | None
    terms: frozenset[str]
    stems: Stems
    words: Statements
    states: bool
    negated: bool

    @classmethod
    def of(cls, words: str, names: Names, teller: str) -> _Topic:
        said = third_person.statements(words, names[0], names[1:], teller=teller) or [words]
        own = _grammar(words) or _default()
        plain = re.sub(own.empty, "", words) if own.empty else words
        terms = slots.terms(plain, names) - _empty(own.empty_words)
        stop = of(detection.spoken(plain)).stopwords if detection.spoken(plain) in codes() else ()
        terms = terms.difference(stop) or terms
        stems = own.stems(words, names) if own.stems else ()
        if own.stems:
            states = any(verb for _, verb in stems)
        else:
            states = not own.states or re.search(own.states, words, re.IGNORECASE) is not None
        return cls(slots.of(said[0], names), terms, stems, own, states, slots.negated(words))

    def matches(self, body: str, names: Names) -> bool:
        told = slots.of(body, names)
        if self.slot is not None and told is not None:
            wanted = self.slot
            return (wanted.name, wanted.value, wanted.side) == (told.name, told.value, told.side)
        if self.states and self.negated != slots.negated(body):
            return False
        if self.stems and self.words.meets:
            return self.words.meets(self.stems, body)
        there = frozenset(analyse.terms(body))
        return bool(self.terms) and self.terms <= there

    def is_like(self, body: str, names: Names) -> bool:
        """Return whether it has these words in other forms, and isn't known as something else."""
        if (self.slot is not None and slots.of(body, names) is not None) or not self.terms:
            return False
        if self.states and self.negated != slots.negated(body):
            return False
        there = analyse.terms(body)
        found = sum(_is_there(term, there) for term in self.terms)
        enough = 1.0 if all(map(_is_word, self.terms)) else _MOST_PAIRS
        return found >= enough * len(self.terms)

    def is_sure(self, body: str) -> bool:
        """Return whether it is about more than a single word, or about one made of several."""
        there = analyse.terms(body)
        return len(self.terms) >= _SURE or any(_is_made_of(term, there) for term in self.terms)


def _is_there(term: str, there: Sequence[str]) -> bool:
    return any(_is_akin(term, other) for other in there) or _is_made_of(term, there)


def _is_made_of(term: str, there: Sequence[str]) -> bool:
    """Return whether a term is a compound of two of them: "Mangoallergie" is "allergisch gegen Mango"."""
    first = (each for each in there if len(each) >= _PART and term.startswith(each))
    rest = {term[len(each) + joint :] for each in first for joint in (0, 1)}
    return any(len(each) >= _STEM and _is_akin(each, other) for each in rest for other in there)


def _is_akin(one: str, other: str) -> bool:
    """Return whether two terms are forms of one word: they begin alike, and little follows."""
    if one == other or not (_is_word(one) and _is_word(other)):
        return one == other
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    shorter, longer = sorted((len(one), len(other)))
    if same == shorter >= _STEM - 1 and longer - same <= 1:
        return True  # "mang" is a stem of "mango"
    return same >= _STEM and longer - same <= _ENDING


def _is_word(term: str) -> bool:
    """Return whether a term is a word, not a pair of characters of a script without spaces."""
    return term.isalpha() and ord(term[0]) < 0x0590


@cache
def _empty(words: str) -> frozenset[str]:
    return frozenset(analyse.terms(words))


def _without_item(part: str, gone: Match) -> str | None:
    """Return a list without the items that are `gone`; None if that is none of them, or all."""
    found = _listed(part)
    if found is None:
        return None
    left = [item for item in found.items if not gone(found.alone(item))]
    return found.of(left) if left and len(left) < len(found.items) else None


def _listed(part: str) -> ListedItems | None:
    for each in languages():
        listed = each.statements.listed if each.statements else None
        if listed and (found := listed(part)):
            return found
    return None
