"""Let a model merge tellings into a text.

It gets the sentences of one author at a time, so that it can't mix up who said what. It never sees
quotations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from erstwhile.base.errors import Error
from erstwhile.base.records import dataclass
from erstwhile.layers.remembered import lines, merge, reading, slots, third_person
from erstwhile.layers.remembered.lines import Line
from erstwhile.layers.remembered.model import FORGET, REMEMBER, RememberRequest, Teller
from erstwhile.layers.remembered.names import PersonNames
from erstwhile.text import tokens
from erstwhile.writers import halves, transcript, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.port import Halves, Writer, WriterQuestion
from erstwhile.writers.prompt import load
from erstwhile.writers.writers import Writers

_TOGETHER: Final = 10  # facts in one call
_MARGIN: Final = 200  # tokens of an answer, besides twice its input

Numbered = tuple[int, RememberRequest]


@dataclass(frozen=True, slots=True)
class MergedText:
    """A text after a batch. `writer` is "" if no model was needed."""

    text: str
    writer: str = ""
    found: bool = True
    gone: tuple[str, ...] = ()


def batches(pending: Sequence[Numbered]) -> list[list[Numbered]]:
    """Group facts that one author told in a row. Every other telling is a batch of its own."""
    found: list[list[Numbered]] = []
    for number, telling in pending:
        last = found[-1][-1][1] if found else None
        together = (
            last is not None
            and telling.action == last.action == REMEMBER
            and telling.said_by == last.said_by
            and not telling.flag
            and not last.flag
            and len(found[-1]) < _TOGETHER
        )
        if together:
            found[-1].append((number, telling))
        else:
            found.append([(number, telling)])
    return found


async def take_in(
    writers: Writers, text: str, batch: Sequence[RememberRequest], who: PersonNames
) -> tuple[MergedText, Error | None]:
    """Merge one batch. After a failure, the text must not be stored."""
    told = batch[0]
    teller = who.teller(told.said_by)
    if told.flag:
        return MergedText(merge.remember(text, told.words, who.names, teller, told.flag).text), None
    if told.action == FORGET and merge.everything(told.words, who.names):
        merged = merge.forget(text, told.words, who.names, teller)
        return MergedText(merged.text, found=merged.changed, gone=merged.removed), None
    if told.action == FORGET:
        return await _forget(writers, text, told, who)
    return await _remember(writers, text, batch, who)


async def _remember(
    writers: Writers, text: str, batch: Sequence[RememberRequest], who: PersonNames
) -> tuple[MergedText, Error | None]:
    teller = who.teller(batch[0].said_by)
    facts = [lines.seen(each.words) for each in batch]
    known = lines.parse(text)
    plain = [line for line in known if not line.quoted]
    mine = [line for line in plain if (not line.author if teller.own else teller.may_touch(line))]
    rest = [line for line in known if line not in mine]
    before = [line.body for line in mine]
    answered, failure = await writers.answer(_merging(before, facts, who, teller))
    new = [Line(body, teller.label) for body in answered.value]
    for fact in facts:
        rest = merge.overruled(rest, fact, who.names, teller)
    own_first = [*new, *rest] if teller.own else [*rest, *new]
    return MergedText(lines.render(own_first), answered.writer), failure


def _merging(
    before: Sequence[str], facts: Sequence[str], who: PersonNames, teller: Teller
) -> WriterQuestion[list[str]]:
    """Ask for the sentences `before` with the new facts."""
    name, *others = who.names
    stated: list[str] = []
    for fact in facts:
        stated += third_person.statements(fact, name, others, teller=teller.label)

    async def draft(_writer: Writer) -> list[str]:
        return list(before)

    def smaller() -> Halves[WriterQuestion[list[str]], list[str]] | None:
        """Leave the sentences that are furthest from the facts as they are, then take fewer facts."""
        if len(before) > 1:
            near = _nearest(before, facts, who)
            fewer = _merging([before[place] for place in near], facts, who, teller)
            far = [
                Line(each, teller.label) for place, each in enumerate(before) if place not in near
            ]
            for fact in facts:
                far = merge.overruled(far, fact, who.names, teller)
            left = [line.body for line in far]
            return Halves(
                replace(fewer, read=lambda answer: [*left, *fewer.read(answer)]),
                lambda _: None,
                lambda one, _: one,
            )
        half = len(facts) // 2
        if not half:
            return None
        return Halves(
            _merging(before, facts[:half], who, teller),
            lambda told: _merging(told, facts[half:], who, teller),
            lambda _, whole: whole,
        )

    return WriterQuestion(
        prompt=load(__package__, "remember"),
        text=_material(who, teller.label, before, "facts", facts),
        read=lambda answer: reading.remembered(answer, before, stated, who.names),
        draft=draft,
        schema=reading.told_schema(before, stated),
        room=_answer_tokens(*before, *facts),
        halves=smaller,
    )


def _nearest(before: Sequence[str], facts: Sequence[str], who: PersonNames) -> list[int]:
    """Return the places of the half that shares most words with the facts."""
    wanted = frozenset[str]().union(*(slots.terms(fact, who.names) for fact in facts))
    shared = [len(wanted & slots.terms(each, who.names)) for each in before]
    nearest = sorted(range(len(before)), key=lambda place: (-shared[place], -place))
    return sorted(nearest[: len(before) // 2])


async def _forget(
    writers: Writers, text: str, told: RememberRequest, who: PersonNames
) -> tuple[MergedText, Error | None]:
    teller = who.teller(told.said_by)
    words = lines.seen(told.words)
    plain = merge.forget(text, words, who.names, teller)
    known = lines.parse(text)
    mine = [line for line in known if not line.quoted and teller.may_touch(line)]
    if not mine:
        return MergedText(plain.text, found=plain.changed, gone=plain.removed), None

    answered, failure = await writers.answer(_forgetting(mine, words, who, teller))
    left = answered.value
    if not left.found:  # the exact words are removed even if the model does not find them
        return MergedText(plain.text, answered.writer, plain.changed, plain.removed), failure
    quoted = {line.text for line in lines.parse(plain.text) if line.quoted}
    theirs = (line for line in known if line not in mine)
    others = [line for line in theirs if not line.quoted or line.text in quoted]
    removed = left.gone or [line for line in mine if line not in left.kept]
    gone = tuple(line.text for line in removed)
    return MergedText(lines.render([*left.kept, *others]), answered.writer, True, gone), failure


def _forgetting(
    mine: Sequence[Line], words: str, who: PersonNames, teller: Teller
) -> WriterQuestion[reading.RemainingLines]:
    """Ask for what is left of these lines."""

    def read(answer: str) -> reading.RemainingLines:
        left = reading.forgotten(answer, mine, words, who.names)
        if left.found and merge.forget(lines.render(left.kept), words, who.names, teller).changed:
            raise MalformedAnswer("What is to be forgotten is still there.")
        return left

    async def draft(_writer: Writer) -> reading.RemainingLines:
        return reading.RemainingLines(False, tuple(mine), ())

    def joined(
        one: reading.RemainingLines, other: reading.RemainingLines
    ) -> reading.RemainingLines:
        found = one.found or other.found
        return reading.RemainingLines(found, (*one.kept, *other.kept), (*one.gone, *other.gone))

    told = [line.text for line in mine]
    return WriterQuestion(
        prompt=load(__package__, "forget"),
        text=_material(who, teller.label, told, "forget", [words]),
        read=read,
        draft=draft,
        schema=reading.left_schema(mine),
        room=_answer_tokens(*told, words),
        halves=lambda: halves.of(mine, lambda some: _forgetting(some, words, who, teller), joined),
    )


def _material(
    who: PersonNames, teller: str, before: Sequence[str], what: str, words: Sequence[str]
) -> str:
    told = "\n".join(map(xml.escape, before))
    asked = "\n".join(f"<fact>{xml.escape(each)}</fact>" for each in words)
    task = "The whole new text" if what == "facts" else "What is left"
    closing = transcript.closing(
        f"{task} as JSON, its sentences",
        [*before, *words],
        each="each in the language in which it was told",
    )
    return (
        f"<person>{xml.escape(who.names[0])}</person>\n<teller>{xml.escape(teller or who.names[0])}</teller>\n"
        f"<told>\n{told}\n</told>\n<{what}>\n{asked}\n</{what}>\n\n{closing}"
    )


def _answer_tokens(*texts: str) -> int:
    return _MARGIN + 2 * sum(map(tokens.count, texts))
