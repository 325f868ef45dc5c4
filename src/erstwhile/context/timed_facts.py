"""The key facts: those on the question, then the newest, and among them structured memories: what holds and, if it
changed, what held before."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from erstwhile.base.clock import day
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.context import render
from erstwhile.context.known_people import asked_about, terms_of
from erstwhile.layers.facts import store as facts_store
from erstwhile.layers.part import Item, SeqRange
from erstwhile.layers.structured import store
from erstwhile.layers.structured.model import StructuredMemory, structured_of
from erstwhile.memories import select
from erstwhile.memories.model import StoredMemory
from erstwhile.search.model import TracedHits
from erstwhile.storage import Row, Transaction
from erstwhile.text import sentences
from erstwhile.text.lines import one_line, unlabelled

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

LAYER = "structured"
_FACTS = 400  # candidates at most
_FACT = 20  # tokens that a line takes at least, nearly always
_ASKED = 24  # matches of the question; a budget holds few of them
# Since when, until when or due when.
_DATED = re.compile(r" \([^()]{0,60}\)$| \(until [^()]{0,20}\)")
_STOPS = ".!?…。！？\"'”’」』"
_LETTER = r"[^\W\u1100-\U0010ffff]"  # of the scripts that put spaces between words
_BEHIND = 1_000_000  # lines with what held before follow those with what holds
_SAME = 0.5  # the share of common words from which two lines say the same


@dataclass(frozen=True, slots=True)
class PastValues:
    """What held before, by the channel and the message that said it. `here`: the channel of lines that name none.
    `elsewhere`: the ids of what was replaced in another channel than it was said in. `read`: the channels read for it."""

    here: str
    by_channel: Mapping[str, Mapping[int, Sequence[StructuredMemory]]]
    elsewhere: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()

    def in_fact(self, item: Item) -> Item:
        """Say in a fact what of it held until when, and put it behind what holds."""
        text = _marked(item.text, [each for each, _ in self._ended(item)])
        return replace(item, text=text, at=item.at + _BEHIND) if text != item.text else item

    def in_message(self, item: Item) -> Item:
        """Say of a message what of it held until when."""
        return self._noted(item, self._ended(item))

    def in_recent(self, item: Item) -> Item:
        """Say the same of one of the latest messages, unless what replaced it stands below it."""
        ended = self._ended(item) if self.elsewhere else []
        return self._noted(item, [each for each in ended if each[0].id in self.elsewhere])

    def in_summary(self, item: Item) -> Item:
        """Mark the sentences of a summary that name a value which was replaced since."""
        ranges = item.ranges or ((item.channel, item.first, item.last),)
        return replace(item, text=self.in_text(item.text, ranges))

    def in_text(self, text: str, ranges: Iterable[SeqRange]) -> str:
        """Mark the sentences of a text that was made from these messages."""
        return _marked(text, [each for each, _ in self._ended_in(ranges)])

    def in_days(self, text: str, person: str, time: tuple[datetime, datetime]) -> str:
        """Mark the sentences of a text about what a person said in this time."""
        said = (each for those in self.by_channel.values() for seq in those for each in those[seq])
        own = (each for each in said if person in (each.person, each.said_by))
        return _marked(text, [each for each in own if time[0] <= each.at < time[1]])

    def _noted(self, item: Item, ended: Sequence[tuple[StructuredMemory, datetime]]) -> Item:
        if not ended or not item.text:
            return item
        notes = [f"{one_line(each.text).rstrip('.。')} until {day(end)}" for each, end in ended]
        return replace(item, text=f"{item.text} ({'; '.join(dict.fromkeys(notes))})")

    def _ended(self, item: Item) -> list[tuple[StructuredMemory, datetime]]:
        return self._ended_in(((item.channel, item.first, item.last),))

    def _ended_in(self, ranges: Iterable[SeqRange]) -> list[tuple[StructuredMemory, datetime]]:
        """Return what held in these messages, with its end."""
        ended: list[tuple[StructuredMemory, datetime]] = []
        for channel, first, last in ranges if self.by_channel else ():
            said = self.by_channel.get(channel or self.here, {}).items()
            inside = (each for seq, those in said if first <= seq <= last for each in those)
            ended += [(each, each.valid_to) for each in inside if each.valid_to]
        return ended


async def past_values(
    tx: Transaction,
    wanted: ContextRequest,
    visibility: Visibility,
    others: Iterable[str] = (),
    people: Sequence[str] = (),
) -> PastValues:
    """Read what held before in the channel and in `others`, and of what these people said anywhere. What was ended
    where the reader sees nothing, or by a blocked person, is left as it is: why it ended must not be shown."""
    read = frozenset((wanted.channel, *others))
    found = await select.ended_in(tx, store.KIND.name, read)
    if people:
        found += await select.ended_of(tx, store.KIND.name, people)
    ended = await store.ended(tx, list({each.id: each for each in found}.values()))
    channels = {channel for each, by in ended for channel in (each.channel, by.channel)}
    seen = await visibility.visible(tx, wanted.channel, channels, wanted.person) if ended else None
    past: dict[str, dict[int, list[StructuredMemory]]] = {}
    elsewhere = set()
    for each, by in ended:
        shown = seen is not None and seen.shows(by.channel, by.seq)
        if each.channel not in read:
            shown = shown and seen is not None and seen.shows(each.channel, each.seq)
        if shown and wanted.silent.isdisjoint({by.person, by.said_by}):
            past.setdefault(each.channel, {}).setdefault(each.seq, []).append(each)
            if by.channel != each.channel:
                elsewhere.add(each.id)
    return PastValues(wanted.channel, past, frozenset(elsewhere), read)


async def in_notes(
    tx: Transaction,
    wanted: ContextRequest,
    notes: Sequence[Item],
    visibility: Visibility,
    past: PastValues,
) -> list[Item]:
    """Mark in notes what no longer holds. A topic may be made from channels that nothing else is from."""
    channels = {channel for note in notes for channel, _, _ in note.ranges}
    if not channels <= past.read:
        past = await past_values(tx, wanted, visibility, channels)
    return [past.in_summary(note) for note in notes]


async def find_facts(
    tx: Transaction, wanted: ContextRequest, found: TracedHits, visibility: Visibility
) -> dict[str, list[Item]]:
    """Return facts on the question, then the newest, none twice; drafts whose message is found too
    come last. Where nothing bears on the question the newest would be noise, but for facts of those
    whom it names."""
    full = wanted.recipe == "full"
    facts = [hit.id for hit in found.hits if hit.kind == "fact"]
    asked_for = {id: facts_store.shown_of(found.stored[id]) for id in facts}
    latest = await facts_store.latest(tx, wanted.channel, min(_FACTS, wanted.budget // _FACT))
    if full and wanted.query and not found.hits:
        whom = await asked_about(tx, wanted)
        latest = [row for row in latest if row["person"] in whom]
    distinct: dict[tuple[str | None, str], Row] = {}
    for row in (*asked_for.values(), *latest):
        if row["person"] not in wanted.silent:
            distinct.setdefault((row["person"], unlabelled(row["text"]).casefold()), row)
    ordered = list(distinct.values())
    said = {(row["channel"], row["seq"]) for row in found.said.values()} if full else set()
    ordered.sort(key=lambda row: bool(row["draft"]) and (row["channel"], row["seq"]) in said)
    items = [render.fact(row) for row in ordered]
    return {"facts": await weave(tx, wanted, found, items, visibility) if full else items}


def beside(
    shown: Mapping[str, Sequence[Item]],
    facts: Iterable[Item],
    asked_for: Container[str],
    *,
    tight: bool,
) -> list[Item]:
    """Return the facts that no line on people says already. Where messages that were found don't
    all fit (`tight`), these are worth more than drafts that no one asked for, and than facts that
    a message which is shown says in the same words."""
    if not tight:
        return not_said_by(shown.get("people", ()), facts)
    wanted = [each for each in facts if each.id in asked_for or not each.draft]
    return not_said_by([*shown.get("people", ()), *shown.get("related", ())], wanted)


async def weave(
    tx: Transaction,
    wanted: ContextRequest,
    found: TracedHits,
    facts: Sequence[Item],
    visibility: Visibility,
) -> list[Item]:
    """Return memories on the question, those that hold first, then the facts. Of a fact and a
    memory that say the same from one message, only the longer is kept. A memory that was ended by
    one from a channel not visible here is left out: why it ended must not be shown."""
    hits, channel = await _hits(tx, found, wanted.silent), wanted.channel
    later = await store.by_ids(tx, [each.superseded_by for each in hits if each.superseded_by])
    heard = await visibility.visible(tx, channel, {each.channel for each in later}, wanted.person)
    seen = [each for each in later if heard.shows(each.channel, each.seq)]
    after = {each.id: each for each in seen if _by_none_of(each, wanted.silent)}
    over = (each for each in hits if not each.standing and not each.done)
    ended = [(each, after[each.superseded_by]) for each in over if each.superseded_by in after]
    told = {new.id for _, new in ended}
    holding = [each for each in hits if each.standing and each.id not in told]
    lines: list[tuple[Item, tuple[StructuredMemory, ...]]] = [
        (_line(each), (each,)) for each in holding
    ]
    lines += [(_change(old, new), (old, new)) for old, new in ended]
    kept: list[Item] = []
    left = {fact.id: fact for fact in facts}
    for item, memories in lines:
        near = _of_messages(left.values(), memories)
        alike = [fact for fact in near if any(_says(fact, each, channel) for each in memories)]
        repeated = [fact for fact in alike if covers(item.text, unlabelled(fact.text))]
        if len(memories) == 1 and len(repeated) < len(alike):
            continue  # a fact says all of it, and more
        for fact in repeated:
            del left[fact.id]
        kept.append(item)
    return [*kept, *left.values()]


def not_said_by(shown: Sequence[Item], facts: Iterable[Item]) -> list[Item]:
    """Return the facts that no line which is shown already says, from the same message."""
    said: dict[tuple[str, int], list[frozenset[str]]] = {}
    for item in shown:
        if item.first == item.last:
            said.setdefault((item.channel, item.first), []).append(terms_of(item.text))

    def repeated(fact: Item) -> bool:
        terms, there = terms_of(_undated(fact.text)), said.get((fact.channel, fact.first), ())
        return any(terms <= each for each in there)

    return [fact for fact in facts if not repeated(fact)]


def _of_messages(facts: Iterable[Item], memories: Sequence[StructuredMemory]) -> list[Item]:
    """Return the facts of the same messages: few of hundreds."""
    seqs = {each.seq for each in memories}
    return [fact for fact in facts if fact.first in seqs]


async def _hits(
    tx: Transaction, found: TracedHits, silent: frozenset[str]
) -> list[StructuredMemory]:
    stored = [found.stored[hit.id] for hit in found.hits if hit.kind == LAYER][:_ASKED]
    there = {each.id for each in stored}
    heard = await store.with_sources(tx, [each for each in stored if each.restates not in there])
    return [each for each in heard if _by_none_of(each, silent)]


def _by_none_of(each: StructuredMemory, silent: frozenset[str]) -> bool:
    """Return whether it is neither about nor by a blocked person."""
    return each.person not in silent and each.said_by not in silent


def _line(each: StructuredMemory) -> Item:
    due = f", due {each.due}" if each.due else ""
    return _item(each, f"- {one_line(each.text)}{_told(each)} ({day(each.at)}{due})", each.sources)


def _change(before: StructuredMemory, after: StructuredMemory) -> Item:
    """Format both with their dates in one line: first what holds."""
    end = before.valid_to or after.at
    now = f"{one_line(after.text)}{_told(after)} (since {day(end)})"
    then = f"{one_line(before.text)} ({day(before.valid_from)} until {day(end)})"
    text = f"- {now} Before: {then}"
    return _item(after, text, tuple(dict.fromkeys((*before.sources, *after.sources))))


def _item(each: StructuredMemory, text: str, sources: tuple[str, ...]) -> Item:
    return Item(each.id, LAYER, text, each.seq, each.seq, sources=sources, channel=each.channel)


def _told(each: StructuredMemory) -> str:
    """Return the speaker, if it is about somebody else."""
    about = each.person or each.subject
    own = each.said_by in (each.person, each.subject) or each.type == "entity"
    if each.said_by is None or about is None or own:
        return ""
    if each.person is None and each.said_by == "user":
        return ""
    return f" (said by {one_line(each.said_by)})"


def _says(fact: Item, memory: StructuredMemory, channel: str) -> bool:
    """Return whether a plain fact of the same message contains what the memory says."""
    if memory.channel != channel or (fact.first, fact.last) != (memory.seq, memory.seq):
        return False
    return covers(fact.text, memory.text) and covers(fact.text, memory.value or memory.text)


def _undated(text: str) -> str:
    return _DATED.sub("", unlabelled(text))


def covers(wide: str, narrow: str) -> bool:
    """Return whether a text has at least half of the words of another."""
    there, wanted = terms_of(wide), terms_of(narrow)
    return bool(wanted) and len(wanted & there) >= _SAME * len(wanted)


def marked(text: str, ended: Sequence[StoredMemory]) -> str:
    return _marked(text, [structured_of(each) for each in ended])


def _marked(text: str, ended: Sequence[StructuredMemory]) -> str:
    """Say of each value in a text that was replaced since until when it held."""
    return "\n".join(_marked_line(each, ended) for each in text.split("\n")) if ended else text


def _marked_line(line: str, ended: Sequence[StructuredMemory]) -> str:
    start = len(line) - len(unlabelled(line))  # the label only says whose words these are
    made = line[:start]
    for end in (start + end for end in sentences.ends(line[start:])):
        sentence = line[start:end]
        until: dict[int, datetime] = {}
        for each in ended:
            place = _place(sentence, each) if each.valid_to else None
            if place is not None and each.valid_to:
                until[place] = max(each.valid_to, until.get(place, each.valid_to))
        for place in sorted(until, reverse=True):
            sentence = f"{sentence[:place]} (until {day(until[place])}){sentence[place:]}"
        made += sentence
        start = end
    return made


def _place(sentence: str, each: StructuredMemory) -> int | None:
    """Return where the clause with the value ends: behind the word with its end, or, if it is there
    in other words, before the stop of the sentence, as a cut after it must not lose the mark."""
    if each.value and each.value.casefold() in sentence.casefold():
        found = _words_of(each.value).search(sentence)
        return found.end() if found else None
    wanted = terms_of(each.value or each.text) - terms_of(each.subject or "")
    if wanted and wanted <= terms_of(sentence):
        return len(sentence.rstrip().rstrip(_STOPS))
    return None


@lru_cache(maxsize=1024)
def _words_of(value: str) -> re.Pattern[str]:
    """Return a pattern of a value with what is attached to it, unless it is part of a longer name."""
    words = r"\s+".join(map(re.escape, value.split()))
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, value) else ""
    after = rf"(?!{_LETTER})" if re.match(_LETTER, value[-1]) else ""
    return re.compile(rf"{before}(?i:{words}){after}\w*(?! [A-ZÀ-Þ]\w)")
