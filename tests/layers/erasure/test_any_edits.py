"""Whatever is added, edited, taken back and worked on, in any order: the log is what was said last, and no former word is anywhere."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.testing import FixedClock
from inside import runtime
from owner import as_owner
from soak.size import SOAK

KEYS = [f"k{number}" for number in range(12 if SOAK else 7)]
PLACES = ("square", "hall")
_numbers = count(1)

_key, _place = st.sampled_from(KEYS), st.sampled_from(PLACES)
_steps = st.one_of(
    st.tuples(st.just("add"), _place, _key),
    st.tuples(st.just("add"), _place, _key),
    st.tuples(st.just("revise"), _place, _key),
    st.tuples(st.just("delete"), _place, _key),
    st.tuples(st.sampled_from(["settle", "wait", "night", "about"]), _place, _key),
)
_stories = st.lists(_steps, min_size=6, max_size=60 if SOAK else 24)


class Story:
    """`said`: what the log should have, by channel and key; `former`: words that should be nowhere."""

    def __init__(self, memory: erstwhile.Memory, clock: FixedClock) -> None:
        self.memory, self.clock = memory, clock
        self.space = f"story-{next(_numbers)}"
        self.said: dict[tuple[str, str], str] = {}
        self.gone: set[tuple[str, str]] = set()
        self.former: list[str] = []

    async def do(self, what: str, channel: str, key: str) -> None:
        chat, place = self.memory.channel(channel, self.space), (channel, key)
        word = f"zq{next(_numbers)}x"
        text = f"I live in {word} and I like {word} tea."
        if what == "add":
            person = "alice" if KEYS.index(key) % 2 else "bob"
            stored = await chat.add("user", text, person=person, name=person.title(), key=key)
            assert (stored.seq == 0) == (place in self.gone)
            if place in self.gone:
                self.former.append(word)
            elif stored.text == text:
                self.said[place] = text
        elif what == "revise":
            revised = await chat.edit(key, text)
            assert (revised is not None) == (place in self.said)
            if revised is None:
                self.former.append(word)
            else:
                self._forget(place)
                self.said[place] = text
        elif what == "delete":
            assert await chat.delete([key]) == (place in self.said)
            self.gone.add(place)
            if place in self.said:
                self._forget(place)
                del self.said[place]
        else:
            await self._work(what)

    async def _work(self, what: str) -> None:
        if what == "wait":
            self.clock.advance(minutes=45)
        elif what == "night":
            await self.memory.notes.nightly(space=self.space)
        elif what == "about":
            with suppress(erstwhile.NotFound):  # who has not said a word yet
                await self.memory.about("alice", space=self.space)
        await self.memory.settle()

    def _forget(self, place: tuple[str, str]) -> None:
        self.former.extend(set(re.findall(r"zq\d+x", self.said[place])))

    async def end(self) -> None:
        self.clock.advance(hours=1)
        settled = await self.memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        there = {
            (channel, each.key): each.text
            for channel in PLACES
            async for each in self.memory.channel(channel, self.space).messages()
        }
        assert there == self.said
        assert await left(self.memory, self.former) == []
        for channel in PLACES:
            made = await self.memory.channels.summaries(self.memory.channel(channel, self.space), level=0)
            assert all(each.text for each in made)


async def left(memory: erstwhile.Memory, words: list[str]) -> list[str]:
    """Words that are in a byte of the file, or in a row of the server."""
    if not words:
        return []
    pattern, database = "|".join(words), runtime(memory).database
    if database.dialect == "sqlite":
        file = Path(database.describe())
        held = b"".join(each.read_bytes() for each in file.parent.glob(f"{file.name}*"))
        return sorted({each.decode() for each in re.findall(pattern.encode(), held)})
    named = "SELECT c.relname AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace"
    looks = [
        f"(SELECT '{row['name']}' AS place FROM {row['name']} t WHERE t::text ~ '{pattern}' LIMIT 1)"
        for row in await as_owner(database, named)
    ]
    return [row["place"] for row in await as_owner(database, " UNION ALL ".join(looks))]


@pytest.fixture
async def any_memory(database_url: str, clock: FixedClock) -> AsyncIterator[erstwhile.Memory]:
    async with erstwhile.open(
        database_url, clock=clock, worker=False, recipe="full", chunk_size=3, meta_size=2, brief={"threshold": 100}
    ) as memory:
        yield memory


@settings(
    max_examples=500 if SOAK else 6,
    deadline=None,
    derandomize=not SOAK,
    phases=(Phase.explicit, Phase.generate, Phase.shrink) if SOAK else (Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(story=_stories)
async def test_the_log_is_what_is_said_now_and_nothing_else_is_anywhere(
    any_memory: erstwhile.Memory, clock: FixedClock, story: list[tuple[str, str, str]]
) -> None:
    told = Story(any_memory, clock)
    for step in story:
        await told.do(*step)
    await told.end()
