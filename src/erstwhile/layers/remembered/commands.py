"""Commands in a conversation: recognise a message that asks to remember, to forget or what is
known.

Find out what it asks and about whom, and do it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Final, Literal

from erstwhile.base.clock import Clock
from erstwhile.base.records import dataclass
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.language import languages
from erstwhile.layers.remembered import gather, route
from erstwhile.layers.remembered.gather import GatheredSentence
from erstwhile.layers.remembered.model import (
    ABOUT,
    FORGET,
    INTENTS,
    REMEMBER,
    TALK,
    CommandReply,
    RememberRequest,
)
from erstwhile.layers.remembered.route import EVERYTHING, ME, MemoryRequest
from erstwhile.layers.remembered.steps import RememberedTexts
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.storage import Database, Transaction
from erstwhile.text import analyse, labels, suspect
from erstwhile.writers import answers, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.port import Writer, WriterQuestion
from erstwhile.writers.prompt import load

LONGEST: Final = 4_000  # characters of a message that may be a command
_BEFORE: Final = 20  # messages that "remember this" reads
_TALK: Final = CommandReply(TALK)
_NO_SPEAKER: Final = "It is not known who is speaking. Name them with `person`."


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """What someone said in a channel. `speaker` is None if unknown."""

    channel: str
    text: str
    speaker: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class _Target:
    """The `people` a command can be about, and the `fact`. `called`: how the command names them.
    `before`: the messages before it. `seq`: its own number, if it was logged."""

    people: tuple[str, ...]
    called: str
    fact: str
    name: str = ""
    before: tuple[Message, ...] = ()
    seq: int | None = None


class Commands:
    def __init__(
        self, database: Database, writers: WriterPool, texts: RememberedTexts, clock: Clock
    ) -> None:
        self._database, self._writers, self._texts, self._clock = database, writers, texts, clock

    async def command(self, space: str, said: SpokenLine) -> CommandReply:
        """Carry out a command. For `about`, `text` stays empty: the caller adds the portrait."""
        blocked = await self._database.read(space, people.blocked)
        routed = None if said.speaker in blocked else await self._route(space, said)
        if routed is None:
            return _TALK
        target = await self._database.read(space, lambda tx: self._target(tx, said, routed))
        if len(target.people) != 1:
            if not routed.sure:
                return _TALK
            return CommandReply(routed.intent, fact=target.fact, text=_unclear(target, said))
        person = target.people[0]
        if routed.intent == ABOUT:
            return CommandReply(ABOUT, person, found=True)
        if said.speaker is None:
            return CommandReply(routed.intent, None, target.fact, text=_NO_SPEAKER)
        if person in blocked:
            text = f"{target.name} is blocked. Nothing is stored about them."
            return CommandReply(routed.intent, None, target.fact, text=text)
        speaker, name, now = said.speaker, said.name, self._clock()
        if name:
            await self._database.write(space, lambda tx: people.add(tx, speaker, now, name))
        if routed.intent == FORGET:
            return await self._forget(space, said, person, target)
        if routed.before:
            return await self._remember_this(space, said, person, target)
        return await self._remember(space, said, person, target)

    # What the command asks

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
            schema=answers.object_schema(
                intent={"type": "string", "enum": list(INTENTS)},
                person={"type": "string"},
                fact={"type": "string"},
            ),
        )
        answered, _failure = await writers.answer(ask)  # after a failure, it counts as talk
        return answered.value

    # About whom

    async def _target(self, tx: Transaction, said: SpokenLine, routed: MemoryRequest) -> _Target:
        fact = await self._readable(tx, routed.fact, said)
        found = await self._called(tx, routed.whom, said) if routed.whom else None
        if routed.whom and not found and routed.intent == FORGET and routed.fact == EVERYTHING:
            # "Forget everything about X", and X is no person: it is a topic of the speaker's text.
            found, fact = await self._called(tx, ME, said), routed.whom
        if found is None:
            found = await self._subject(tx, routed.fact, said)
            if found and routed.intent == FORGET:
                name = fact.removeprefix("@")
                fact = EVERYTHING if await self._known_as(tx, name, said) == found else fact
        names = await people.names_of(tx, found)
        before, seq = await self._before(tx, said) if routed.before else ((), None)
        called = routed.whom or fact.split(" ")[0]
        return _Target(found, called, fact, names[found[0]] if found else "", before, seq)

    async def _here(self, tx: Transaction, ids: Iterable[str], said: SpokenLine) -> tuple[str, ...]:
        return tuple(await self._texts.known_here(tx, ids, said.channel, said.speaker))

    async def _readable(self, tx: Transaction, fact: str, said: SpokenLine) -> str:
        """Replace mentions of people by their names, or by the ids of those not known here."""
        ids = xml.mentions(fact)
        names = await people.names_of(tx, await self._here(tx, ids, said))
        for id in ids:
            name = labels.label(names.get(id, id)).replace("\\", r"\\")
            fact = re.sub(rf"<@!?{re.escape(id)}>", name, fact)
        return fact.removeprefix("@")

    async def _mentioned(self, tx: Transaction, id: str, said: SpokenLine) -> tuple[str, ...]:
        return await self._here(tx, [id], said) if await people.exists(tx, id) else ()

    async def _known_as(self, tx: Transaction, name: str, said: SpokenLine) -> tuple[str, ...]:
        return await self._here(tx, await people.known_as(tx, name), said)

    async def _called(self, tx: Transaction, whom: str, said: SpokenLine) -> tuple[str, ...]:
        if whom == ME:
            return (said.speaker,) if said.speaker is not None else ()
        for id in xml.mentions(whom):
            return await self._mentioned(tx, id, said)
        bare = re.sub(_name_part("possessive"), "", whom).removeprefix("@").strip()
        found = await self._known_as(tx, bare, said)
        shorter = re.sub(_name_part("endings"), "", bare) or bare
        if not found and shorter != bare:
            found = await self._known_as(tx, shorter, said)
        return found

    async def _subject(self, tx: Transaction, fact: str, said: SpokenLine) -> tuple[str, ...]:
        """Return the people a statement may begin with; the speaker, if it begins with nobody."""
        own = (said.speaker,) if said.speaker is not None else ()
        if begins("own_start").match(fact):
            return own
        if begins("other_start").match(fact):
            return ()
        mention = re.match(r"<@!?([^<>\s]+)>", fact)
        if mention:
            return await self._mentioned(tx, mention[1], said)
        start = fact.removeprefix("@")
        known = await log.people_named(tx, start)
        named = [(person, name) for person, name in known if _begins(start, name)]
        here = await self._here(tx, {person for person, _ in named}, said)
        named = [(person, name) for person, name in named if person in here]
        if not named:
            return () if fact.startswith("@") else own
        longest = max(len(name) for _, name in named)
        return tuple(sorted({person for person, name in named if len(name) == longest}))

    async def _before(
        self, tx: Transaction, said: SpokenLine
    ) -> tuple[tuple[Message, ...], int | None]:
        """Return the messages before a command, and its own number if it was logged already. Leave
        out messages of blocked people and of unknown ones: a statement needs an author."""
        found = await log.latest(tx, said.channel, _BEFORE + 1)
        own = bool(found) and found[-1].text == said.text and found[-1].person == said.speaker
        refused = {None, *await people.blocked(tx)}
        before = found[:-1] if own else found
        kept = [each for each in before if each.role == "user" and each.person not in refused]
        return tuple(kept[-_BEFORE:]), found[-1].seq if own else None

    # Carrying it out

    async def _remember(
        self, space: str, said: SpokenLine, person: str, target: _Target
    ) -> CommandReply:
        """Remember the sentences together, but each suspicious one by itself: it is only quoted."""
        rows = [each for each in target.fact.splitlines() if each.strip()]
        flagged = [each for each in rows if suspect.flag(each)]
        plain = "\n".join(each for each in rows if each not in flagged)
        telling = self._telling(said, person, REMEMBER, target)
        given = [replace(telling, words=words) for words in [plain, *flagged] if words]
        return await self._store(space, person, target, given)

    async def _remember_this(
        self, space: str, said: SpokenLine, person: str, target: _Target
    ) -> CommandReply:
        """Remember what the messages before say about the person, each sentence by its author."""
        now = self._clock()
        found = await self._gathered(space, person, target)
        given = [
            RememberRequest(
                person, REMEMBER, each.sentence, each.author, said.channel, each.seq, at=now
            )
            for each in found
        ]
        if not given:
            text = f"The messages before say nothing to remember about {target.name}."
            return CommandReply(REMEMBER, person, text=text)
        fact = "\n".join(each.words for each in given)
        return await self._store(space, person, replace(target, fact=fact), given)

    async def _store(
        self, space: str, person: str, target: _Target, given: list[RememberRequest]
    ) -> CommandReply:
        await self._texts.remember_all(space, given)
        text = f"Remembered about {target.name}."
        return CommandReply(REMEMBER, person, target.fact, found=True, text=text)

    async def _gathered(self, space: str, person: str, target: _Target) -> list[GatheredSentence]:
        if not target.before:
            return []
        writers = await self._writers.for_space(space)
        ids = {each.person for each in target.before if each.person} | {person}
        names = await self._database.read(space, lambda tx: people.names_of(tx, ids))
        answered, _failure = await writers.answer(gather.ask(person, target.before, names))
        return answered.value

    async def _forget(
        self, space: str, said: SpokenLine, person: str, target: _Target
    ) -> CommandReply:
        gone = await self._texts.forget(space, self._telling(said, person, FORGET, target))
        what = "Forgotten" if gone.found else "Nothing like that is remembered"
        text = "\n".join(filter(None, [f"{what} about {target.name}.", gone.question]))
        return CommandReply(FORGET, person, target.fact, gone.found, text)

    def _telling(
        self, said: SpokenLine, person: str, action: str, target: _Target
    ) -> RememberRequest:
        where = said.speaker, said.channel, target.seq
        return RememberRequest(person, action, target.fact, *where, at=self._clock())


def _unclear(target: _Target, said: SpokenLine) -> str:
    called = target.called
    if target.people:
        return f"More than one person here is called {called}. Mention them, or use their id."
    if said.speaker is None and (called == ME or begins("own_start").match(f"{target.fact} ")):
        return _NO_SPEAKER
    if begins("other_start").match(called):
        return "Say whom it is about: name them, or mention them."
    return f"Nobody here is known as {called}. Name someone who has spoken here, or mention them."


def _begins(text: str, name: str) -> bool:
    end = rf"(?:\W|[{_particles()}]|\Z|(?<=[\u4e00-\u9fff]))"
    return re.match(re.escape(name) + end, text, re.IGNORECASE) is not None


@cache
def begins(what: Literal["own_start", "other_start"]) -> re.Pattern[str]:
    """Return a pattern for statements that begin with their speaker ("I"), or with "he" or "she"."""
    known = [getattr(each.pronouns, what) for each in languages() if each.pronouns]
    return re.compile(rf"\A(?:{'|'.join(filter(None, known))})", re.IGNORECASE)


@cache
def _name_part(what: Literal["possessive", "endings"]) -> str:
    known = [getattr(each.names, what) for each in languages() if each.names]
    return rf"(?:{'|'.join(filter(None, known))})\Z"


@cache
def _particles() -> str:
    return "".join(each.names.particles for each in languages() if each.names)


def _routed(answer: str, said: str) -> MemoryRequest | None:
    """Read a model's answer about a message. None: it is talk."""
    given = answers.json_object(answer, "intent")
    intent, whom, fact = (given.get(key) or "" for key in ("intent", "person", "fact"))
    if intent not in INTENTS or not isinstance(whom, str) or not isinstance(fact, str):
        raise MalformedAnswer(f'"intent" must be one of {INTENTS}; "person" and "fact", texts.')
    if intent == TALK:
        return None
    whom, fact = xml.plain(whom).strip(), xml.plain(fact).strip()
    terms, there = set(analyse.query_terms(fact)), set(analyse.terms(said))
    if fact and len(terms & there) * 2 < len(terms):
        raise MalformedAnswer('"fact" does not use the words of the line.')
    if intent == ABOUT:
        return MemoryRequest(ABOUT, whom or ME, sure=False)
    if not fact and (intent == FORGET or not whom):
        return None
    whom = ME if whom.casefold() in ("me", "i", "myself") else whom
    return MemoryRequest(intent, whom, fact, before=not fact)
