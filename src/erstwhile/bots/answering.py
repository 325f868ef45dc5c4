"""Answering whoever addresses the bot, with what they may hear: never more than everyone in that place could have read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from erstwhile.api.memory import Memory
from erstwhile.base.errors import NotFound, SettingsError
from erstwhile.base.logs import Log
from erstwhile.bots import words
from erstwhile.bots.listened import Register
from erstwhile.bots.pace import Pace
from erstwhile.bots.port import Place, Platform, Said
from erstwhile.search.model import Hit

log = Log(__name__)

_PATIENCE: Final = 120.0  # seconds for a model
_AT_ONCE: Final = 4  # answers in the making
_LINES: Final = 5  # shown where there is no model
_LINE: Final = 300  # characters of each
_NAMED: Final = 50  # people in one answer
_BROKEN: Final = "[The model failed:"  # how `ask` begins to say so
_TOLD_UNKEPT: Final = (1, 3600.0)
_SYSTEM: Final = (
    "You answer in a group chat. Be brief and plain. Say only what the memory or the conversation supports; if it is not there, say that "
    "you don't know. Speak of people by their names."
)


class Answering:
    def __init__(self, memory: Memory, platform: Platform, register: Register, patience: float = _PATIENCE) -> None:
        self._memory = memory
        self._platform = platform
        self.register = register
        self._patience = patience
        self._talking = asyncio.Semaphore(_AT_ONCE)
        self.people = Pace(6, 60)
        self.places = Pace(20, 60)
        self._unkept = Pace(*_TOLD_UNKEPT)

    async def answer(self, said: Said) -> None:
        place = said.place
        if not self.register.remembered(place.space) or await self.blocked(place.space, said.person):
            return
        if not (await self.register.ear(place)).on:
            if self._unkept.ask(f"{place.space} {place.channel} {said.person}") == "go":
                told = await self._platform.whisper(place, said.person, words.unkept(place))
                if not told:
                    await self._platform.say(place, words.unkept(place), said.key)
            return
        verdicts = self.people.ask(f"{place.space} {said.person}"), self.places.ask(f"{place.space} {place.channel}")
        if verdicts != ("go", "go"):
            if "silent" not in verdicts:
                await self._platform.say(place, words.SLOW_DOWN, said.key)
            return
        try:
            async with asyncio.timeout(self._patience), self._talking:  # whoever had to wait too long is told so
                text = await self._answer(said)
        except Exception as error:  # noqa: BLE001 - whoever asked is told, in plain words; why is in the log
            log.warning("platform.answer_failed", reason=f"{type(error).__name__}: {error}")
            text = words.FAILED
        for piece in words.pieces(words.calm(await self.by_name(place.space, text)), self._platform.longest):
            await self._platform.say(place, piece, said.key)

    async def by_name(self, space: str, text: str) -> str:
        """What we are about to say, with names in place of mentions."""
        people = sorted(words.mentioned(text))[:_NAMED]
        return words.by_name(text, await self._names(space, people) if people else {}, self._platform.me)

    async def blocked(self, space: str, person: str) -> bool:
        found = await self._memory.people.list(space=space, people=[person])
        return any(each.blocked for each in found)

    async def within(self, place: Place, person: str) -> list[str]:
        """What all in the place may hear: this place, and the channels that everyone can read, as far as the asker can. A direct
        conversation is a space of its own, and has only itself."""
        if place.direct:
            return [place.channel]
        readable = await self._platform.readable(place.space, person)
        return sorted({place.channel} | (readable & self.register.open_in(place.space)))

    async def _answer(self, said: Said) -> str:
        text = words.to_us(said.text, self._platform.me)
        if not text:
            return words.HELLO
        chat = self.register.chat(said.place)
        done = await chat.command(text, person=said.person, name=said.name or None)
        if done.intent == "talk":
            return await self._talk(said, text)
        if done.person is None:
            return done.text or words.FAILED
        if done.intent == "remember":
            return words.NOTED
        if done.intent == "forget":
            return words.FORGOTTEN if done.found else words.NOT_THERE
        return await self._about(said, done.person)

    async def _about(self, said: Said, person: str) -> str:
        """What is known of a person is for the one who asks."""
        place = said.place
        readable = {place.channel} if place.direct else await self._platform.readable(place.space, said.person)
        try:
            known = await self._memory.about(
                person, space=place.space, asker=said.person, within=sorted(readable | {place.channel})
            )
        except NotFound:
            return words.NOBODY_KNOWN
        if not known.text:
            return words.NOBODY_KNOWN
        if place.direct:
            return known.text
        sent = [
            await self._platform.whisper(place, said.person, piece)
            for piece in words.pieces(words.calm(await self.by_name(place.space, known.text)), self._platform.longest)
        ]
        return words.SENT if all(sent) else words.UNSENT

    async def _talk(self, said: Said, text: str) -> str:
        within = await self.within(said.place, said.person)
        sources = f"Your own words, to which this is a reply:\n{words.quoted(said.answers)}" if said.answers else ""
        pieces: list[str] = []
        async with self._platform.typing(said.place):
            try:
                stream = self.register.chat(said.place).ask(
                    text,
                    person=said.person,
                    name=said.name or None,
                    system=_SYSTEM,
                    sources=sources,
                    recipe="community",
                    within=within,
                    keep=False,
                )
                pieces.extend([piece async for piece in stream])
            except SettingsError:
                return await self._recalled(said, text, within)
        if pieces and pieces[-1].lstrip().startswith(_BROKEN):
            return "".join(pieces[:-1]).strip() + "…" if len(pieces) > 1 else words.FAILED
        return "".join(pieces).strip() or words.FAILED

    async def _recalled(self, said: Said, text: str, within: Sequence[str]) -> str:
        """Without a model: the lines that are most about it, with who said them and when."""
        hits = await self._memory.search(text, space=said.place.space, within=within, limit=4 * _LINES, kinds=_SHOWN)
        lines: dict[str, Hit] = {}
        for hit in hits:
            if hit.text.strip() and not _same(hit.text, said.text) and not self._to_us(hit.text):
                lines.setdefault(hit.text.strip(), hit)
        if not lines:
            return words.NOTHING_KNOWN
        best = list(lines.values())[:_LINES]
        names = await self._names(said.place.space, sorted({hit.person for hit in best if hit.person}))
        shown = [f"- {words.clipped(' '.join(hit.text.split()), _LINE)} ({_from(hit, names)})" for hit in best]
        return "\n".join([words.NO_MODEL, *shown])

    def _to_us(self, text: str) -> bool:
        """What others asked us is no answer."""
        return bool(self._platform.me) and self._platform.me in words.mentioned(text)

    async def _names(self, space: str, people: Sequence[str]) -> dict[str, str]:
        found = await self._memory.people.list(space=space, people=people) if people else None
        return {each.person: " ".join(each.name.split()) for each in found} if found else {}


_SHOWN: Final = ("message", "fact", "note", "topic", "structured")


def _same(one: str, other: str) -> bool:
    """A search finds the question itself, and facts that only repeat it."""
    return one.strip().casefold().endswith(other.strip().casefold())


def _from(hit: Hit, names: dict[str, str]) -> str:
    who = names.get(hit.person, hit.person) if hit.person else ""
    return ", ".join(filter(None, [who, words.dated(hit.at)]))
