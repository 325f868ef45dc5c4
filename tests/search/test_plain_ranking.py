"""The ranking finds what a plain one finds, in the same order and with the same scores, whatever is filtered."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from erstwhile.index.documents import Marks, Scope
from erstwhile.index.space_index import SpaceIndex
from erstwhile.index.traits import QUESTION, REPLY, REQUEST
from erstwhile.search.question import Question
from erstwhile.search.rank import RankingOptions, rank
from search import plain_ranking

DIMENSIONS = 128
HOUR = 3_600_000_000
KINDS = ("fact", "fact", "chunk", "meta", "note", "told", "structured")
SCOPES = (
    Scope(),
    Scope(kinds=("message",)),
    Scope(channel="c1"),
    Scope(channel="c2", kinds=("message", "fact")),
    Scope(person="p2"),
    Scope(kinds=("note", "topic")),
    Scope(since=40 * HOUR, until=4000 * HOUR),
    Scope(writer="extractive"),
    Scope(channel="nowhere"),
)


class Space:
    """A generated space: channels of 400 messages in conversations, and memories of them; some documents were deleted."""

    def __init__(self, messages: int, memories: int, *, deleted: float, assistant: bool = False) -> None:
        self.assistant = assistant
        self.chance = random.Random(f"{messages} {memories}")
        self.words = [f"{self.chance.choice('bdfgklmnprst')}o{number:x}er" for number in range(3000)]
        self.rows: list[dict[str, Any]] = []
        for number in range(messages):
            self._message(number)
            if memories and number % (messages // memories) == 0:
                self._memory(number)
        self.index = SpaceIndex()
        pair = self.index.begin(Marks(), "")
        self.index.fill(pair, self.rows)
        for row in self.rows:
            if self.chance.random() < deleted:
                (pair.messages if row["kind"] == "message" else pair.memories).drop(row["doc"])
        self.index.filled(pair, Marks())
        self.vectors = {row["doc"]: np.frombuffer(row["vector"], np.int8) for row in self.rows if row["vector"]}

    def _text(self, most: int) -> str:
        """A few words all the time, most almost never."""
        ranks = (int(3000 * self.chance.random() ** 3) for _ in range(self.chance.randint(2, most)))
        return " ".join(self.words[rank] for rank in ranks)

    def _vector(self) -> bytes | None:
        vector = bytes(self.chance.randbytes(DIMENSIONS))
        return vector if self.chance.random() < 0.9 else None

    def _traits(self, kind: str) -> int:
        """Some ask, and in a space with an assistant every second one is a reply."""
        found = QUESTION * (self.chance.random() < 0.1) + REQUEST * (self.chance.random() < 0.1)
        return found + REPLY * (kind == "message" and self.assistant and len(self.rows) % 2)

    def _add(self, number: int, kind: str, text: str, **more: Any) -> None:
        person = self.chance.choice([None, *(f"p{each}" for each in range(6))])
        row = {"doc": len(self.rows) + 1, "kind": kind, "channel": f"c{number // 400}", "person": person}
        row |= {"writer": None if kind == "message" else "extractive/2", "traits": self._traits(kind)}
        at = (number + number // 23 * 60) * HOUR // 60
        self.rows.append({**row, "at": at, "terms": text, "vector": self._vector(), **more})

    def _markers(self) -> str:
        """Some tell a day, some have names; a few names are common."""
        chance = self.chance
        day = [f"@{chance.randint(-9, 9)}:{chance.choice((1, 1, 7, 31))}"] if chance.random() < 0.15 else []
        names = [f"={self.words[int(300 * chance.random() ** 2)]}" for _ in range(chance.choice((0, 0, 1, 3)))]
        return " ".join([*day, *dict.fromkeys(names), ""])

    def _message(self, number: int) -> None:
        seq = number % 400 + 1
        copied = self.rows and self.chance.random() < 0.01
        text = self.rows[-1]["terms"] if copied else self._markers() + self._text(14)
        self._add(number, "message", text, seq=seq, until=seq)

    def _memory(self, number: int) -> None:
        kind, seq = self.chance.choice(KINDS), number % 400 + 1
        first = seq if kind == "fact" else max(1, seq - self.chance.choice((3, 9, 30)))
        place = {"seq": None, "until": None, "channel": None} if kind == "told" else {"seq": first, "until": seq}
        self._add(number, kind, self._text(30), **place)

    def question(self) -> Question:
        chance = self.chance
        replied = self.assistant and chance.random() < 0.2
        terms = [*dict.fromkeys(self._text(6).split())] if chance.random() < 0.95 else []
        if chance.random() < 0.2:
            terms.append(f"{chance.choice(self.words)}x")  # spelt like another
        people: tuple[str | None, ...] = tuple(f"p{each}" for each in range(6) if chance.random() < 0.1)
        names = frozenset(filter(None, people))
        if not people and chance.random() < 0.2:
            people = (None,)
        start = chance.randrange(300) * HOUR
        spans = ((start, start + 50 * HOUR), (None, 3 * HOUR))[: chance.choice((0, 0, 0, 1, 2))]
        return Question("", tuple(terms), names, people, "", spans, "", "", True, replied, chance.random() < 0.2)

    def options(self, scope: Scope) -> RankingOptions:
        chance = self.chance
        vector = np.array([chance.gauss(0, 1) for _ in range(DIMENSIONS)], np.float32)
        if chance.random() < 0.5:
            vector += 0.05 * chance.choice(list(self.vectors.values()))
        beyond = frozenset(f"c{each}" for each in range(60) if chance.random() < 0.1) if scope.channel else frozenset()
        return RankingOptions(
            limit=chance.choice((1, 10, 100, 150)),
            beyond=beyond if chance.random() < 0.5 else frozenset(),
            blocked=frozenset(f"p{each}" for each in range(8) if chance.random() < 0.1),
            vector=vector / np.linalg.norm(vector) if chance.random() < 0.75 else None,
            weight=chance.choice((1.0, 2.0)),
            beside=(beside := chance.random() < 0.7),
            fill=beside and chance.random() < 0.5,
        )


# Each size with an assistant or without, by turns; the others in `make soak ROWS=R25` and in pytest alone.
@pytest.mark.parametrize(
    ("messages", "memories", "deleted", "questions", "assistant"),
    [
        (300, 60, 0.0, 60, False),
        pytest.param(300, 60, 0.0, 60, True, marks=pytest.mark.long),
        pytest.param(900, 300, 0.1, 60, False, marks=pytest.mark.long),
        (900, 300, 0.1, 60, True),
        (5000, 1800, 0.1, 40, False),
        pytest.param(5000, 1800, 0.1, 40, True, marks=pytest.mark.long),
        pytest.param(22_000, 1500, 0.0, 30, False, marks=pytest.mark.long),
        pytest.param(22_000, 1500, 0.0, 30, True, marks=pytest.mark.long),
        pytest.param(22_000, 1500, 0.03, 30, False, marks=pytest.mark.long),
        (22_000, 1500, 0.03, 30, True),
    ],
)
def test_the_ranking_is_that_of_a_plain_one(
    messages: int, memories: int, deleted: float, questions: int, assistant: bool
) -> None:
    space, found, hopped = Space(messages, memories, deleted=deleted, assistant=assistant), 0, 0
    assert space.index.messages.with_assistant == assistant
    for number in range(questions):
        scope = SCOPES[number % len(SCOPES)]
        question, options = space.question(), space.options(scope)
        fast = rank(space.index, question, scope, options)
        asked = plain_ranking.Asked(space.index, question, options, space.vectors)
        *plain, counts = plain_ranking.rank(space.index, asked, scope)
        assert counts == (fast.words, fast.meaning, fast.guessed)
        assert [entry.score for entry in fast.entries] == pytest.approx([each[1] for each in plain], abs=1e-9)
        by_doc = {each[0]: each for each in plain}
        for entry, (doc, score, *_) in zip(fast.entries, plain, strict=True):
            assert entry.doc == doc or abs(entry.score - score) < 1e-9  # equal but for rounding: either comes first
            _, score, seq, parts, set_back = by_doc[entry.doc]
            parts, hops = dict(parts), parts.get("hops", {})
            parts.pop("hops", None)
            most = max(hops.values(), default=0.0)
            hop = entry.made_of.hop(entry.row)
            if abs(parts.get("linked", 0.0) - parts["words"]) > 1e-9:  # else either is right
                assert bool(hop) == (parts.get("linked", 0.0) > max(0.0, parts["words"]))
            if hop:
                assert hops[hop] == pytest.approx(most, abs=1e-9)
                hopped += 1
            assert (entry.score, entry.parts) == (pytest.approx(score, abs=1e-9), pytest.approx(parts, abs=5.1e-4))
            assert entry.seq == seq
            assert entry.set_back == set_back
        found += len(plain)
    assert found > 10 * questions, "nearly nothing was compared"
    assert hopped > questions / 10, "nearly nothing was linked"
