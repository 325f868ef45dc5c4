"""What no longer holds says until when it did, wherever a context shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.layers.part import Item
from erstwhile.layers.structured import store
from erstwhile.layers.structured.model import Structured
from erstwhile.storage import Transaction
from erstwhile.text import analyse, sentences
from erstwhile.text.lines import one_line

_SAME = 0.5  # the share of its words with which a fact says the same


@dataclass(frozen=True, slots=True)
class PastValues:
    """What held before in a channel, by the message that said it."""

    channel: str
    by_seq: Mapping[int, Sequence[Structured]]

    def in_fact(self, item: Item) -> Item:
        """Say of a fact until when it held."""
        over = [each.valid_to for each in self._of(item) if each.valid_to and _says(item.text, each.text)]
        return replace(item, text=f"{item.text} (until {day(max(over))})") if over else item

    def in_message(self, item: Item) -> Item:
        """Say of a message what of it held until when."""
        notes = [
            f"{one_line(each.text).rstrip('.。')} until {day(each.valid_to)}"
            for each in self._of(item)
            if each.valid_to
        ]
        return replace(item, text=f"{item.text} ({'; '.join(dict.fromkeys(notes))})") if notes else item

    def in_summary(self, item: Item) -> Item:
        """Mark the sentences of a summary that name a value which was replaced since."""
        over = [each for each in self._of(item) if each.valid_to and each.value]
        return replace(item, text="\n".join(_marked(line, over) for line in item.text.split("\n"))) if over else item

    def _of(self, item: Item) -> Iterator[Structured]:
        if item.channel in ("", self.channel):
            for seq, those in self.by_seq.items():
                if item.first <= seq <= item.last:
                    yield from those


async def read(
    tx: Transaction, channel: str, visibility: Visibility, asker: str | None, silent: frozenset[str]
) -> PastValues:
    """Read what held before. What was ended where the reader sees nothing, or by a blocked person,
    is left as it is: why it ended must not be shown."""
    ended = await store.ended_in(tx, channel)
    seen = await visibility.visible(tx, channel, {by.channel for _, by in ended}, asker) if ended else None
    found: dict[int, list[Structured]] = {}
    for each, by in ended:
        if seen is not None and seen.shows(by.channel, by.seq) and silent.isdisjoint({by.person, by.said_by}):
            found.setdefault(each.seq, []).append(each)
    return PastValues(channel, found)


def day(moment: datetime | None) -> str:
    return f"{moment.day} {moment:%b %Y}" if moment else ""


def _marked(line: str, over: Sequence[Structured]) -> str:
    made, start = "", 0
    for end in sentences.ends(line):
        sentence = line[start:end]
        until = [each.valid_to for each in over if each.valid_to and _names(sentence, each)]
        made += f"{sentence.rstrip()} (until {day(max(until))})" if until else sentence
        made += " " * (bool(until) and end < len(line) and not line[end:].startswith(" "))
        start = end
    return made


def _names(sentence: str, each: Structured) -> bool:
    value = _terms(each.value)
    return bool(value) and value <= _terms(sentence)


def _says(wide: str, narrow: str) -> bool:
    there, wanted = _terms(wide), _terms(narrow)
    return bool(wanted) and len(wanted & there) >= _SAME * len(wanted)


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    return frozenset(analyse.query_terms(text))
