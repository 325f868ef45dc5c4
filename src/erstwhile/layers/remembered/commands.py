"""A line of talk that asks to remember, to forget, or what is known: found out what it asks, of whom, and done."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

from erstwhile.base.clock import Clock
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.language import languages
from erstwhile.layers.remembered import gather, lines, route, store
from erstwhile.layers.remembered.gather import GatheredSentence
from erstwhile.layers.remembered.model import ABOUT, FORGET, INTENTS, REMEMBER, TALK, Commanded, Telling
from erstwhile.layers.remembered.route import EVERYTHING, ME, MemoryRequest
from erstwhile.layers.remembered.steps import Tellings
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.storage import Database, Transaction
from erstwhile.text import analyse, suspect
from erstwhile.writers import answers, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.port import Writer, WriterQuestion
from erstwhile.writers.prompt import load

LONGEST: Final = 4_000  # characters of a line that may be a request
_BEFORE: Final = 20  # messages that "remember this" looks back on
_TALK: Final = Commanded(TALK)
_NOBODY: Final = "Nobody said who is speaking. Say it with `person`."


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """What someone said in a channel. `speaker` is None where nobody says who it is."""

    channel: str
    text: str
    speaker: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class _Meant:
    """`people`: whom it can be about. `before`: the messages that were said before it, `seq` its own place if it was logged."""

    people: tuple[str, ...]
    called: str
    fact: str
    name: str = ""
    before: tuple[Message, ...] = ()
    seq: int | None = None


class Commands:
    def __init__(self, database: Database, writers: WriterPool, tellings: Tellings, clock: Clock) -> None:
        self._database = database
        self._writers = writers
        self._tellings = tellings
        self._clock = clock

    async def command(self, space: str, said: SpokenLine) -> Commanded:
        """For `about`, `text` is left empty: what is known is the portrait's to say."""
        silent = await self._database.read(space, people.blocked)
        routed = None if said.speaker in silent else await self._route(space, said)
        if routed is None:
            return _TALK
        meant = await self._database.read(space, lambda tx: self._meant(tx, said, routed))
        if len(meant.people) != 1:
            if not routed.sure:
                return _TALK
            return Commanded(routed.intent, fact=meant.fact, text=_unclear(meant, said))
        person = meant.people[0]
        if routed.intent == ABOUT:
            return Commanded(ABOUT, person, found=True)
        if said.speaker is None:
            return Commanded(routed.intent, None, meant.fact, text=_NOBODY)
        if person in silent:
            return Commanded(
                routed.intent, None, meant.fact, text=f"Nothing is kept of {meant.name}: they are blocked."
            )
        await self._introduce(space, said)
        if routed.intent == FORGET:
            return await self._forget(space, said, person, meant)
        if routed.before:
            return await self._remember_this(space, said, person, meant)
        return await self._remember(space, said, person, meant)

    # What it asks

    async def _route(self, space: str, said: SpokenLine) -> MemoryRequest | None:
        if not said.text.strip() or len(said.text) > LONGEST:
            return None
        plain = route.route(said.text)
        writers = await self._writers.for_space(space)
        if plain is not None or writers.best.draft:
            return plain

        async def draft(_writer: Writer) -> MemoryRequest | None:
            return None

        ask = WriterQuestion(
            prompt=load(__package__, "route"),
            text=f"<line>{xml.escape(said.text)}</line>",
            read=lambda answer: _routed(answer, said.text),
            draft=draft,
            schema=_schema(),
        )
        answered, _failure = await writers.answer(ask)  # a line that no model could sort is talk
        return answered.value

    # Of whom

    async def _meant(self, tx: Transaction, said: SpokenLine, routed: MemoryRequest) -> _Meant:
        fact = await _readable(tx, routed.fact)
        found = await self._called(tx, routed.whom, said.speaker) if routed.whom else None
        if routed.whom and not found and routed.intent == FORGET and routed.fact == EVERYTHING:
            # Everything about something that is nobody: of what is told of the speaker.
            found, fact = await self._called(tx, ME, said.speaker), routed.whom
        if found is None:
            found = await self._subject(tx, routed.fact, said.speaker)
            if found and routed.intent == FORGET and await people.known_as(tx, fact.removeprefix("@")) == list(found):
                fact = EVERYTHING
        names = await people.names_of(tx, found)
        before, seq = await self._before(tx, said) if routed.before else ((), None)
        called = routed.whom or fact.split(" ")[0]
        return _Meant(found, called, fact, names[found[0]] if found else "", before, seq)

    async def _called(self, tx: Transaction, whom: str, speaker: str | None) -> tuple[str, ...]:
        if whom == ME:
            return (speaker,) if speaker is not None else ()
        for id in xml.mentions(whom):
            return (id,) if await store.known(tx, id) else ()
        bare = re.sub(_name_part("possessive"), "", whom).removeprefix("@").strip()
        found = await people.known_as(tx, bare)
        shorter = re.sub(_name_part("endings"), "", bare) or bare
        if not found and shorter != bare:
            found = await people.known_as(tx, shorter)
        return tuple(found)

    async def _subject(self, tx: Transaction, fact: str, speaker: str | None) -> tuple[str, ...]:
        """Whom a statement begins with; who speaks, if that is nobody here."""
        own = (speaker,) if speaker is not None else ()
        if begins("own_start").match(fact):
            return own
        if begins("other_start").match(fact):
            return ()
        mention = re.match(r"<@!?([^<>\s]+)>", fact)
        if mention:
            return (mention[1],) if await store.known(tx, mention[1]) else ()
        start = fact.removeprefix("@")
        named = [(person, name) for person, name in await log.people_named(tx, start) if _begins(start, name)]
        if not named:
            return () if fact.startswith("@") else own
        longest = max(len(name) for _, name in named)
        return tuple(sorted({person for person, name in named if len(name) == longest}))

    async def _before(self, tx: Transaction, said: SpokenLine) -> tuple[tuple[Message, ...], int | None]:
        """Without the request itself, if it was logged already; nothing of blocked people, nor of someone who was not named: another's
        word must carry their name."""
        found = await log.latest(tx, said.channel, _BEFORE + 1)
        own = bool(found) and found[-1].text == said.text and found[-1].person == said.speaker
        silent = await people.blocked(tx)
        told = [
            each
            for each in (found[:-1] if own else found)
            if each.role == "user" and each.person is not None and each.person not in silent
        ]
        return tuple(told[-_BEFORE:]), found[-1].seq if own else None

    # Doing it

    async def _introduce(self, space: str, said: SpokenLine) -> None:
        if said.speaker is None or not said.name:
            return
        speaker, name, now = said.speaker, said.name, self._clock()
        await self._database.write(space, lambda tx: people.add(tx, speaker, now, name))

    async def _remember(self, space: str, said: SpokenLine, person: str, meant: _Meant) -> Commanded:
        """Sentences together, but each that is suspicious by itself: it is only quoted, and the others are not."""
        told = self._telling(said, person, REMEMBER, meant)
        rows = [each for each in meant.fact.splitlines() if each.strip()]
        flagged = [each for each in rows if suspect.flag(each)]
        plain = "\n".join(each for each in rows if each not in flagged)
        given = [replace(told, words=words) for words in [plain, *flagged] if words]
        await self._tellings.remember_all(space, given)
        return Commanded(REMEMBER, person, meant.fact, found=True, text=f"Remembered of {meant.name}.")

    async def _remember_this(self, space: str, said: SpokenLine, person: str, meant: _Meant) -> Commanded:
        """Each sentence as the word of whoever said it, in the message it is from."""
        found = await self._gathered(space, person, meant)
        if not found:
            return Commanded(REMEMBER, person, text=f"The messages before say nothing to remember about {meant.name}.")
        now = self._clock()
        given = [
            Telling(person, REMEMBER, each.sentence, each.author, said.channel, each.seq, at=now) for each in found
        ]
        await self._tellings.remember_all(space, given)
        fact = "\n".join(each.sentence for each in found)
        return Commanded(REMEMBER, person, fact, found=True, text=f"Remembered of {meant.name}.")

    async def _gathered(self, space: str, person: str, meant: _Meant) -> list[GatheredSentence]:
        if not meant.before:
            return []
        writers = await self._writers.for_space(space)
        ids = {each.person for each in meant.before if each.person} | {person}
        names = await self._database.read(space, lambda tx: people.names_of(tx, ids))
        answered, _failure = await writers.answer(gather.ask(person, meant.before, names))
        return answered.value

    async def _forget(self, space: str, said: SpokenLine, person: str, meant: _Meant) -> Commanded:
        gone = await self._tellings.forget(space, self._telling(said, person, FORGET, meant))
        text = f"Forgotten of {meant.name}." if gone.found else f"Nothing like that was told of {meant.name}."
        return Commanded(FORGET, person, meant.fact, gone.found, text)

    def _telling(self, said: SpokenLine, person: str, action: str, meant: _Meant) -> Telling:
        return Telling(person, action, meant.fact, said.speaker, said.channel, meant.seq, at=self._clock())


def _unclear(meant: _Meant, said: SpokenLine) -> str:
    if meant.people:
        return f"More than one person here is called {meant.called}. Mention them, or use their id."
    if said.speaker is None and (meant.called == ME or begins("own_start").match(f"{meant.fact} ")):
        return _NOBODY
    if begins("other_start").match(meant.called):
        return "Say whom it is about: name them, or mention them."
    return f"Nobody here is known as {meant.called}. Name someone who has spoken here, or mention them."


def _begins(text: str, name: str) -> bool:
    return (
        re.match(rf"{re.escape(name)}(?:\W|[{_particles()}]|\Z|(?<=[\u4e00-\u9fff]))", text, re.IGNORECASE) is not None
    )


@cache
def begins(what: Literal["own_start", "other_start"]) -> re.Pattern[str]:
    """A statement that begins with whoever makes it, or with somebody who is not named."""
    known = [getattr(each.pronouns, what) for each in languages() if each.pronouns]
    return re.compile(rf"\A(?:{'|'.join(filter(None, known))})", re.IGNORECASE)


@cache
def _name_part(what: Literal["possessive", "endings"]) -> str:
    known = [getattr(each.names, what) for each in languages() if each.names]
    return rf"(?:{'|'.join(filter(None, known))})\Z"


@cache
def _particles() -> str:
    return "".join(each.names.particles for each in languages() if each.names)


async def _readable(tx: Transaction, fact: str) -> str:
    """Mentions of people as their names."""
    ids = xml.mentions(fact)
    names = await people.names_of(tx, ids)
    for id in ids:
        fact = re.sub(rf"<@!?{re.escape(id)}>", lambda _found, id=id: lines.label(names[id]), fact)  # type: ignore[misc]
    return fact.removeprefix("@")


def _schema() -> dict[str, object]:
    fields = {
        "intent": {"type": "string", "enum": list(INTENTS)},
        "person": {"type": "string"},
        "fact": {"type": "string"},
    }
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _routed(answer: str, said: str) -> MemoryRequest | None:
    """What a model made of a line; None for talk."""
    given = answers.json_object(answer, "intent")
    intent, whom, fact = (given.get(key) or "" for key in ("intent", "person", "fact"))
    if intent not in INTENTS or not isinstance(whom, str) or not isinstance(fact, str):
        raise MalformedAnswer('"intent" must be remember, forget, about or talk; "person" and "fact" must be texts.')
    if intent == TALK:
        return None
    whom, fact = xml.plain(whom).strip(), xml.plain(fact).strip()
    terms, there = set(analyse.query_terms(fact)), set(analyse.terms(said))
    if fact and len(terms & there) * 2 < len(terms):
        raise MalformedAnswer('"fact" is not in the words of the line.')
    if intent == ABOUT:
        return MemoryRequest(ABOUT, whom or ME, sure=False)
    if not fact and (intent == FORGET or not whom):
        return None
    return MemoryRequest(intent, ME if whom.casefold() in ("me", "i", "myself") else whom, fact, before=not fact)
