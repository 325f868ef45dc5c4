"""Consolidate one profile: what a model reads, what its answer must be, and the plan that results.
Plain functions.

Facts have numbers in what the model reads and ids in a plan, so that a plan can be applied to a
profile that has changed since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Audiences
from erstwhile.layers.notes.model import Note
from erstwhile.layers.profiles import merge
from erstwhile.layers.profiles.model import SECTIONS, ProfileFact
from erstwhile.text import analyse, suspect
from erstwhile.writers import answers, transcript
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.borne_out import CitedMessages, unborne
from erstwhile.writers.port import TranscriptLine
from erstwhile.writers.xml import escape, plain

MOST_FACTS: Final = 150
MOST_NOTES: Final = 30
DUPLICATE, CONTRADICTED, TRIVIAL = REASONS = ("duplicate", "contradicted", "trivial")
_FIXED: Final = ' fixed="yes"'
_LONGEST_TEXT: Final = 500
_LONGEST_SUMMARY: Final = 1500
_FEW: Final = 4  # from this many facts on, no answer may drop more than half; of fewer, not all
_OWN: Final = 0.5  # the share of a sentence's words that must be those of its sources
_KEPT: Final = 0.3  # the share of a source's words that must be in the sentence it goes into


@dataclass(frozen=True, slots=True)
class Material:
    """`facts` that hold and `notes`, both numbered from 1; `names` of whoever said them;
    `audiences` of their channels."""

    person: str
    facts: tuple[ProfileFact, ...]
    notes: tuple[Note, ...]
    names: Mapping[str, str]
    audiences: Audiences

    def audience(self, each: ProfileFact | Note) -> str:
        """Return who may see a fact or a note."""
        return self.audiences.of(
            each.channel, each.first_seq if isinstance(each, Note) else each.seq
        )

    @property
    def all(self) -> tuple[ProfileFact | Note, ...]:
        return (*self.facts, *self.notes)


@dataclass(frozen=True, slots=True)
class MergedFact:
    """One sentence in place of some facts, or from a note."""

    section: str
    text: str
    facts: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    fact: str
    because: str
    by: str | None


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    merged: tuple[MergedFact, ...] = ()
    dropped: tuple[Dropped, ...] = ()


def material(
    person: str,
    facts: Sequence[ProfileFact],
    notes: Sequence[Note],
    names: Mapping[str, str],
    audiences: Audiences,
) -> Material:
    """Return the newest facts, as many as one call takes, in the order they were said."""
    newest = sorted((fact for fact in facts if fact.standing), key=lambda fact: (fact.at, fact.id))[
        -MOST_FACTS:
    ]
    return Material(person, tuple(newest), tuple(notes[-MOST_NOTES:]), names, audiences)


def divided(seen: Material) -> tuple[Material, Material] | None:
    """Divide facts and notes in two. Facts of one section and slot stay together where they can."""
    half, noted = len(seen.facts) // 2, len(seen.notes) // 2
    if not half and not noted:
        return None
    alike = sorted(seen.facts, key=lambda fact: (fact.section, fact.slot))
    taken = {fact.id for fact in alike[:half]}
    first = tuple(fact for fact in seen.facts if fact.id in taken)
    rest = tuple(fact for fact in seen.facts if fact.id not in taken)
    return (
        replace(seen, facts=first, notes=seen.notes[:noted]),
        replace(seen, facts=rest, notes=seen.notes[noted:]),
    )


# What a model reads


def show(seen: Material) -> str:
    places = _places(seen)
    facts = [
        f'<fact number="{number}" section="{fact.section}" said="{fact.at:%Y-%m-%d}" '
        f'by="{_called(fact.said_by or seen.person, seen)}" place="{places[seen.audience(fact)]}"'
        f"{_FIXED if fact.fixed else ''}>{escape(fact.text[:_LONGEST_TEXT])}</fact>"
        for number, fact in enumerate(seen.facts, start=1)
    ]
    notes = [
        f'<note number="{number}" date="{note.day}" place="{places[seen.audience(note)]}">'
        f"<title>{escape(note.title[:_LONGEST_TEXT])}</title>"
        f"<summary>{escape(note.text[:_LONGEST_SUMMARY])}</summary></note>"
        for number, note in enumerate(seen.notes, start=1)
    ]
    person = f"<person>{_called(seen.person, seen)}</person>"
    closing = transcript.closing(
        "What changes as JSON, its texts",
        [fact.text for fact in seen.facts] or [note.text for note in seen.notes],
        each="each in the language of the facts it is made of",
    )
    return "\n".join(
        [person, "<facts>", *facts, "</facts>", "<notes>", *notes, "</notes>", "", closing]
    )


def _places(seen: Material) -> dict[str, str]:
    found = dict.fromkeys(seen.audience(each) for each in seen.all)
    private = [audience for audience in found if audience]
    return {"": "open"} | {
        audience: f"private {number}" for number, audience in enumerate(private, start=1)
    }


def _called(person: str, seen: Material) -> str:
    return escape(" ".join(seen.names.get(person, person).split()))


def schema(seen: Material) -> dict[str, Any]:
    facts, notes = len(seen.facts), len(seen.notes)
    fact = answers.object_schema(
        section={"type": "string", "enum": list(SECTIONS)},
        text=answers.text_schema(_LONGEST_TEXT),
        **{"from": answers.list_schema(answers.number_schema(facts), facts)},
        notes=answers.list_schema(answers.number_schema(notes), notes),
    )
    drop = answers.object_schema(
        fact=answers.number_schema(facts),
        because={"type": "string", "enum": list(REASONS)},
        by={"anyOf": [answers.number_schema(facts), {"type": "null"}]},
    )
    return answers.object_schema(
        facts=answers.list_schema(fact, facts + notes), drop=answers.list_schema(drop, facts)
    )


# What it answers


def read(answer: str, seen: Material) -> ConsolidationPlan:
    """Return the plan, or raise `MalformedAnswer`, which quotes no message. Changes that are not
    allowed are skipped."""
    found = answers.json_object(answer, "facts")
    facts, drops = found["facts"], found.get("drop") or []
    if not isinstance(facts, list) or not isinstance(drops, list):
        raise MalformedAnswer('"facts" and "drop" must be lists.')
    merged = [each for fact in facts if (each := _merged(fact, seen)) is not None]
    used = {id for each in merged for id in each.facts}
    named = [_dropped(each, seen) for each in drops]
    most = len(seen.facts) / 2 if len(seen.facts) >= _FEW else len(seen.facts) - 1
    if len(seen.facts) > 1 and len({each.fact for each in named}) > most:
        raise MalformedAnswer(
            "More than half of the facts would be dropped. Drop only what really must not stand."
        )
    by_id = {fact.id: fact for fact in seen.facts}
    dropped = [each for each in named if each.fact not in used and allowed(each, by_id, seen)]
    return ConsolidationPlan(tuple(merged), tuple(dropped))


def _merged(given: object, seen: Material) -> MergedFact | None:
    """Return None for an unchanged fact, and for one that may reveal what was said elsewhere."""
    if not isinstance(given, dict):
        raise MalformedAnswer('Each of "facts" must be an object.')
    section, text = given.get("section"), given.get("text")
    if section not in SECTIONS:
        raise MalformedAnswer(f"A section must be one of {', '.join(SECTIONS)}.")
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST_TEXT:
        raise MalformedAnswer(
            f'The "text" of a fact must be a sentence of at most {_LONGEST_TEXT} characters.'
        )
    words = " ".join(plain(text).split())
    facts = [
        seen.facts[number - 1] for number in _numbers(given.get("from"), len(seen.facts), "facts")
    ]
    same = len(facts) == 1 and facts[0].text == words
    if same and (facts[0].fixed or facts[0].section == section):
        return None
    notes = [
        seen.notes[number - 1] for number in _numbers(given.get("notes"), len(seen.notes), "notes")
    ]
    if facts:
        _check_facts(facts, words, seen)
        notes = []
    elif notes:
        _check_notes(notes, words, seen)
    else:
        raise MalformedAnswer(
            'A fact must name the facts it is made of in "from", or the notes in "notes".'
        )
    if _beyond(words, [*facts, *notes], seen):
        return None
    return MergedFact(
        section, words, tuple(each.id for each in facts), tuple(each.id for each in notes)
    )


def borne(plan: ConsolidationPlan, seen: Material) -> tuple[ConsolidationPlan, int]:
    """Leave out the sentences that have a name or a number of none of their sources, and count them. The facts they
    were made of stay."""
    texts = {each.id: _text(each) for each in seen.all}
    name = seen.names.get(seen.person, seen.person)
    people = frozenset(seen.names.values())

    def holds(merged: MergedFact) -> bool:
        lines = [TranscriptLine(name, texts[id]) for id in (*merged.facts, *merged.notes)]
        return unborne(merged.text, CitedMessages(lines, (), people)) not in ("name", "number")

    kept = tuple(each for each in plan.merged if holds(each))
    return replace(plan, merged=kept), len(plan.merged) - len(kept)


def _numbers(given: object, last: int, what: str) -> list[int]:
    if given is None:
        return []
    numbers = given if isinstance(given, list) else [given]
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= last:
            raise MalformedAnswer(
                f"A number is named that none of the {what} has; they have 1 to {last}."
            )
    return list(dict.fromkeys(numbers))


def _check_facts(facts: Sequence[ProfileFact], text: str, seen: Material) -> None:
    if any(fact.fixed for fact in facts):
        raise MalformedAnswer("A fixed fact can't be changed, or put into another.")
    if len({fact.said_by for fact in facts}) > 1:
        raise MalformedAnswer("Facts that different people said can't be put into one.")
    if len({seen.audience(fact) for fact in facts}) > 1:
        raise MalformedAnswer("Facts of different places can't be put into one.")
    if len({about for fact in facts if (about := merge.topic(fact)) is not None}) > 1:
        raise MalformedAnswer("Facts that say different things can't be put into one.")
    own = _content([fact.text for fact in facts], seen)
    if any(not _kept(fact.text, text, seen) for fact in facts):
        raise MalformedAnswer("A fact loses what the facts it is made of say.")
    _check_words(text, own, seen.audience(facts[0]), seen)
    if any(merge.denies(fact.text) != merge.denies(text) for fact in facts):
        raise MalformedAnswer("A fact says the opposite of what it is made of.")


def _check_notes(notes: Sequence[Note], text: str, seen: Material) -> None:
    if len({seen.audience(note) for note in notes}) > 1:
        raise MalformedAnswer("Notes of different places can't be put into one fact.")
    own = _content([f"{note.title}\n{note.text}" for note in notes], seen)
    _check_words(text, own, seen.audience(notes[0]), seen)


def _check_words(text: str, own: set[str], audience: str, seen: Material) -> None:
    """Check that the words are those of its sources, and none only another private channel has."""
    said = _content([text], seen)
    if len(said & own) < max(1, _OWN * len(said)):
        raise MalformedAnswer("A fact says what the facts or notes it is made of do not.")
    visible = [_text(each) for each in seen.all if seen.audience(each) in ("", audience)]
    elsewhere = [_text(each) for each in seen.all if seen.audience(each) not in ("", audience)]
    if (said - own) & (_content(elsewhere, seen) - _content(visible, seen)):
        raise MalformedAnswer("A fact carries what was said in another place.")
    if suspect.flag(text):
        raise MalformedAnswer(
            "A fact tells a machine what to do, claims rights, or holds a secret."
        )


def _beyond(text: str, sources: Sequence[ProfileFact | Note], seen: Material) -> bool:
    """Whether the text has new words although the model also read what its readers may not see: the
    words may come from there."""
    may_see = ("", seen.audience(sources[0]))
    if all(seen.audience(each) in may_see for each in seen.all):
        return False
    return not _content([text], seen) <= _content([_text(each) for each in sources], seen)


def _text(each: ProfileFact | Note) -> str:
    return each.text if isinstance(each, ProfileFact) else f"{each.title}\n{each.text}"


def _content(texts: Iterable[str], seen: Material) -> set[str]:
    """Return the content words, without the person's name, which all facts share."""
    name = set(merge.words(seen.names.get(seen.person, seen.person)))
    return {word for text in texts for word in merge.words(text)} - name


def _kept(source: str, text: str, seen: Material) -> bool:
    wanted = _content([source], seen)
    return not wanted or len(wanted & _content([text], seen)) >= _KEPT * len(wanted)


def _dropped(given: object, seen: Material) -> Dropped:
    known = isinstance(given, dict) and given.get("because") in REASONS
    if not isinstance(given, dict) or not known or given.get("fact") is None:
        raise MalformedAnswer(
            f'Each of "drop" must have "fact", "by" and "because": one of {", ".join(REASONS)}.'
        )
    (number,) = _numbers(given["fact"], len(seen.facts), "facts") or [0]
    by = _numbers(given.get("by"), len(seen.facts), "facts")
    return Dropped(
        seen.facts[number - 1].id, given["because"], seen.facts[by[0] - 1].id if by else None
    )


def allowed(drop: Dropped, facts: Mapping[str, ProfileFact], seen: Material) -> bool:
    """Whether a fact may be ended for this reason. What a person said is ended only by something
    that the same person said later."""
    fact, by = facts.get(drop.fact), facts.get(drop.by or "")
    if fact is None or fact.fixed:
        return False
    if drop.because == TRIVIAL:
        return fact.note is not None  # an imported fact needs another in its place
    if by is None or by.id == fact.id or by.flag or by.said_by != fact.said_by:
        return False
    if seen.audience(by) not in ("", seen.audience(fact)):
        return False
    if drop.because == CONTRADICTED:
        return by.at >= fact.at and _about_the_same(fact, by)
    alike = merge.denies(by.text) == merge.denies(fact.text) and _kept(fact.text, by.text, seen)
    return alike or merge.repeats(fact, by)


def _about_the_same(fact: ProfileFact, by: ProfileFact) -> bool:
    """Whether one can contradict the other: they share a slot, a section, or words."""
    if fact.section == by.section or (fact.slot and fact.slot == by.slot):
        return True
    # One may be the name.
    return len(set(analyse.query_terms(fact.text)) & set(analyse.query_terms(by.text))) > 1


# Without a model


def extractive(seen: Material) -> ConsolidationPlan:
    """Drop only facts that plainly repeat another."""
    dropped: list[Dropped] = []
    gone: set[str] = set()
    by_id = {fact.id: fact for fact in seen.facts}
    for place, fact in enumerate(seen.facts):
        for by in (*seen.facts[:place], *seen.facts[place + 1 :]):
            drop = Dropped(fact.id, DUPLICATE, by.id)
            if by.id not in gone and merge.repeats(fact, by) and allowed(drop, by_id, seen):
                dropped.append(drop)
                gone.add(fact.id)
                break
    return ConsolidationPlan((), tuple(dropped))
