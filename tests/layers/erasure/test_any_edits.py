"""Whatever is added, edited, taken back and worked on, in any order: the log is what was said last, and no former word is anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.importers import load
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
    st.tuples(st.sampled_from(["reopen", "import", "search"]), _place, _key),
)
_stories = st.lists(_steps, min_size=6, max_size=60 if SOAK else 24)


class Story:
    """`said`: what the log should have, by channel and key; `former`: words that should be nowhere. `file`: of an import
    that is read again and again, with a message for every second key."""

    def __init__(self, opened: Opened, clock: FixedClock, folder: Path) -> None:
        self.opened, self.clock = opened, clock
        self.space = f"story-{next(_numbers)}"
        self.said: dict[tuple[str, str], str] = {}
        self.gone: set[tuple[str, str]] = set()
        self.former: list[str] = []
        self.lines = {(place, key): f"I keep zq{next(_numbers)}x bees." for place in PLACES for key in KEYS[::2]}
        self.file = folder / f"{self.space}.jsonl"
        lines = (
            {"channel": place, "key": key, "role": "user", "person": "alice", "text": text}
            for (place, key), text in self.lines.items()
        )
        self.file.write_text("\n".join(map(json.dumps, lines)))

    @property
    def memory(self) -> erstwhile.Memory:
        return self.opened.memory

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
        elif what == "reopen":
            await self.opened.again()
        elif what == "import":
            await self._import()
        elif what == "search":
            await self._search()
        else:
            await self._work(what)

    async def _import(self) -> None:
        """What was said under a key stays, what was deleted stays away."""
        await load(self.memory, self.file, format="jsonl", space=self.space)
        for place, text in self.lines.items():
            if place not in self.said and place not in self.gone:
                self.said[place] = text
            elif self.said.get(place) != text:
                self.former += _words(text)

    async def _search(self) -> None:
        """Everything that is said is found by its word, and nothing by a former one."""
        for (channel, _), text in self.said.items():
            (word,) = _words(text)
            hits = await self.memory.search(word, space=self.space, kinds=["message"])
            assert (channel, text) in [(hit.channel, hit.text) for hit in hits]
        for word in self.former[-5:]:
            assert not [hit for hit in await self.memory.search(word, space=self.space) if word in hit.text]

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
        self.former += _words(self.said[place])

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
        await self._search()
        assert await left(self.memory, self.former) == []
        for channel in PLACES:
            made = await self.memory.channels.summaries(self.memory.channel(channel, self.space), level=0)
            assert all(each.text for each in made)


def _words(text: str) -> set[str]:
    return set(re.findall(r"zq\d+x", text))


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


class Opened:
    """A memory that can be closed and opened again, as by a restart."""

    memory: erstwhile.Memory

    def __init__(self, url: str, clock: FixedClock) -> None:
        self._url, self._clock = url, clock

    async def open(self) -> None:
        # A question is what an asker said: one with a former word keeps it.
        unrecorded = {"keep_days": {"requests": 0}}
        sizes = {"recipe": "full", "chunk_size": 3, "meta_size": 2, "brief": {"threshold": 100}}
        self.memory = erstwhile.open(self._url, clock=self._clock, worker=False, **sizes, **unrecorded)
        await self.memory.__aenter__()

    async def close(self) -> None:
        await self.memory.__aexit__(None, None, None)

    async def again(self) -> None:
        await self.close()
        await self.open()


@pytest.fixture
async def opened(database_url: str, clock: FixedClock) -> AsyncIterator[Opened]:
    made = Opened(database_url, clock)
    await made.open()
    yield made
    await made.close()


@settings(
    max_examples=500 if SOAK else 6,
    deadline=None,
    derandomize=not SOAK,
    phases=(Phase.explicit, Phase.generate, Phase.shrink) if SOAK else (Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(story=_stories)
async def test_the_log_is_what_is_said_now_and_nothing_else_is_anywhere(
    opened: Opened, clock: FixedClock, tmp_path_factory: pytest.TempPathFactory, story: list[tuple[str, str, str]]
) -> None:
    told = Story(opened, clock, tmp_path_factory.mktemp("imports"))
    for step in story:
        await told.do(*step)
    await told.end()
