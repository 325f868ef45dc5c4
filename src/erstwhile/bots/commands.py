"""Slash commands. What they answer, only the asker sees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from erstwhile.api.memory import Memory
from erstwhile.api.portraits import About
from erstwhile.base.clock import Clock
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.base.logs import Log
from erstwhile.bots import words
from erstwhile.bots.answering import Answering
from erstwhile.bots.pace import Pace
from erstwhile.bots.port import Asked, Place, Platform, Unreadable

log = Log(__name__)

_YES: Final = ("yes", "sure", "yes please", "i am sure")
_MESSAGES: Final = 10  # of one's own that are shown
_CANDIDATES: Final = 6
_PIECES: Final = 4  # messages of one answer; Slack takes no more than five
_CHOICES: Final = (
    "`/what-do-you-know` shows what I have of you, `/forget-me` erases it, `/privacy stop` leaves you out from now on."
)
_ONLY_MANAGERS: Final = "That is for those who manage this channel."

Listen = Callable[[Place], Awaitable[None]]


class Commands:
    def __init__(
        self, memory: Memory, platform: Platform, answering: Answering, clock: Clock, heard_anew: Listen
    ) -> None:
        """`heard_anew` is told of a place for which something else was chosen."""
        self._memory = memory
        self._platform = platform
        self._register = answering.register
        self._answering = answering
        self._clock = clock
        self._heard_anew = heard_anew
        self._pace = Pace(20, 60)
        self._verbs: dict[str, Callable[[Asked], Awaitable[str]]] = {
            "remember": self._remember,
            "forget": self._forget,
            "about": self._about,
            "what-do-you-know": self._what_do_you_know,
            "forget-me": self._forget_me,
            "privacy": self._privacy,
            "memory": self._of_memory,
        }

    async def answer(self, asked: Asked) -> None:
        verdict = self._pace.ask(f"{asked.place.space} {asked.person}")
        if verdict == "silent":
            return
        text = words.SLOW_DOWN if verdict == "tell" else await self._answered(asked)
        shown = words.calm(await self._answering.by_name(asked.place.space, text))
        for piece in words.pieces(shown, self._platform.longest)[:_PIECES]:
            await asked.answer(piece)

    async def _answered(self, asked: Asked) -> str:
        verb = self._verbs.get(asked.verb)
        if verb is None:
            return f"I don't know the command {asked.verb!r}."
        if not self._register.remembered(asked.place.space):
            return "Nothing is remembered in this server."
        try:
            return await verb(asked)
        except (InvalidInput, NotFound) as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - whoever asked is told, in plain words; why is in the log
            log.warning("platform.command_failed", verb=asked.verb, reason=f"{type(error).__name__}: {error}")
            return words.FAILED

    # What is told

    async def _remember(self, asked: Asked) -> str:
        if not asked.words.strip():
            return "Say what to remember: `/remember I am allergic to nuts`."
        if await self._blocked(asked):
            return f"{words.OPTED_OUT} `/privacy start` changes that."
        await self._listened(asked)
        of, space = asked.whom or asked.person, asked.place.space
        await self._memory.remember(of, asked.words, space=space, by=asked.person, channel=asked.place.channel)
        return words.NOTED

    async def _forget(self, asked: Asked) -> str:
        if not asked.words.strip():
            return "Say what to forget: `/forget my allergy`. To have everything of yours erased, use `/forget-me`."
        of, space = asked.whom or asked.person, asked.place.space
        gone = await self._memory.forget(of, asked.words, space=space, by=asked.person, channel=asked.place.channel)
        return words.FORGOTTEN if gone.found else words.NOT_THERE

    async def _listened(self, asked: Asked) -> None:
        if not (await self._register.ear(asked.place)).on:
            raise InvalidInput(words.unkept(asked.place))
        await self._register.declare(asked.place)

    # What is known

    async def _about(self, asked: Asked) -> str:
        """Of another, what the asker could have read themself."""
        if asked.whom in (None, asked.person):
            return await self._what_do_you_know(asked)
        assert asked.whom is not None
        try:
            known = await self._known(asked, asked.whom, await self._readable(asked))
        except NotFound:
            return words.NOBODY_KNOWN
        return _portrait(known) or words.NOBODY_KNOWN

    async def _what_do_you_know(self, asked: Asked) -> str:
        """All of one's own words, wherever they were said; of what others said of one, what one can read."""
        place = asked.place
        readable = await self._platform.readable(place.space, asked.person)
        try:
            known = await self._known(asked, asked.person, readable | {place.channel})
        except NotFound:
            return "I know nothing about you."
        if await self._blocked(asked):
            return f"{words.OPTED_OUT} `/forget-me` erases what was kept before."
        said = await self._memory.people.messages(asked.person, space=asked.place.space, limit=_MESSAGES)
        titles = {each.channel: each.title for each in await self._memory.channels.list(space=asked.place.space)}
        latest = [
            f"- {words.clipped(' '.join(hit.text.split()), 120)} ({titles.get(hit.channel) or hit.channel}, {words.dated(hit.at)})"
            for hit in said
        ]
        page = await self._memory.people.list(space=asked.place.space, people=[asked.person])
        count = sum(each.messages for each in page)
        own = f"I keep {count} of your messages. The latest:\n" + "\n".join(latest) if latest else ""
        return "\n\n".join(filter(None, [_portrait(known), own])) or "I know nothing about you."

    async def _known(self, asked: Asked, person: str, within: frozenset[str]) -> About:
        space = asked.place.space
        return await self._memory.about(person, space=space, asker=asked.person, fresh=False, within=sorted(within))

    async def _readable(self, asked: Asked) -> frozenset[str]:
        place = asked.place
        here = frozenset({place.channel})
        return here if place.direct else here | await self._platform.readable(place.space, asked.person)

    async def _blocked(self, asked: Asked) -> bool:
        return await self._answering.blocked(asked.place.space, asked.person)

    # What goes

    async def _forget_me(self, asked: Asked) -> str:
        space = asked.place.space
        page = await self._memory.people.list(space=space, people=[asked.person])
        if asked.words.strip().casefold().rstrip(".!") not in _YES:
            count = sum(each.messages for each in page)
            where = "here" if asked.place.direct else "in all channels of this server"
            return (
                f"This erases your {count} messages {where}, and all that was made of them. It can't be undone. If you are sure, give "
                "`/forget-me` again, with `yes`. To be left out from now on as well: `/privacy stop`."
            )
        receipt = await self._memory.erase(space=space, person=asked.person, by=asked.person)
        gone = f"{receipt.counts.get('messages', 0)} messages, and all that was made of them"
        return f"Erased: {gone}. Receipt {receipt.id}. What you say from now on is a new beginning; `/privacy stop` leaves you out."

    async def _privacy(self, asked: Asked) -> str:
        wish, space = asked.words.strip().casefold(), asked.place.space
        if wish == "stop":
            await self._memory.people.block(asked.person, space=space, by=asked.person)
            return (
                "From now on nothing you say is kept, and nothing of yours is recalled. `/privacy start` takes it back; `/forget-me` "
                "erases what was kept."
            )
        if wish == "start":
            try:
                await self._memory.people.unblock(asked.person, space=space, by=asked.person)
            except InvalidInput:
                return "Whoever runs me has left you out here. Only they can take that back."
            return "What you say is kept again, in channels that are listened to. What you said in between was not."
        return f"{await self._kept_here(asked)}\n{_CHOICES}"

    async def _kept_here(self, asked: Asked) -> str:
        place = asked.place
        ear = await self._register.ear(place)
        if not ear.on:
            return words.unkept(place)
        choices = {each.name: each.value for each in await self._memory.spaces.configuration(space=place.space)}
        said = "you" if place.direct else "people"
        who = "Everyone in this server" if place.open else "Only those who can read this channel"
        return (
            f"I keep what {said} say here{_since(ear.since)}; {_kept(choices.get('retention', ''))}. "
            f"{'Only you' if place.direct else who} may be told of it. Edits and deletions are followed."
        )

    # Memory

    async def _of_memory(self, asked: Asked) -> str:
        wish, _, rest = asked.words.strip().casefold().partition(" ")
        if wish == "why":
            return await self._why(asked)
        if wish not in ("on", "off", "status", ""):
            return "Use `/memory why`, `/memory status`, `/memory on`, `/memory on past` or `/memory off`."
        if not asked.manages:
            return _ONLY_MANAGERS
        if wish == "on":
            return await self._on(asked, past=rest.strip() in ("past", "past:true", "true"))
        if wish == "off":
            await self._choose(asked, on=False, since="")
            return "I no longer listen here. What was kept stays: `/forget-me` erases what is yours, whoever runs me can erase the rest."
        ear = await self._register.ear(asked.place)
        return f"I listen here{_since(ear.since)}." if ear.on else "I don't listen here. `/memory on` changes that."

    async def _on(self, asked: Asked, *, past: bool) -> str:
        """A platform may let people call us where we can't hear them."""
        try:
            async for _page in self._platform.history(asked.place, self._platform.key_at(asked.place, self._clock())):
                break
        except Unreadable:
            return words.CANT_READ
        since = "" if past else self._clock().isoformat()
        await self._choose(asked, on=True, since=since)
        return f"I listen here{_since(since)}. Threads go with their channel. `/privacy` says what that means."

    async def _choose(self, asked: Asked, *, on: bool, since: str) -> None:
        """With its past, also that of the threads that go with it."""
        place = asked.place
        await self._register.declare(place)
        await self._memory.channels.listen(
            self._register.chat(place), on, since=since, by=asked.person, title=place.title
        )
        await self._register.load(place.space)
        if on:
            threads = [
                each
                for each in self._register.places.values()
                if each.space == place.space and each.parent == place.channel and self._register.chosen(each) is None
            ]
            for thread in threads:
                if not since:
                    await self._memory.channels.mark_read(self._register.chat(thread), "")
                await self._heard_anew(thread)
            await self._heard_anew(place)

    async def _why(self, asked: Asked) -> str:
        place = asked.place
        found = await self._memory.requests.list(space=place.space, channel=place.channel, op="ask", limit=1)
        if not found:
            return "I have answered nothing here that I still know of."
        if found[0].person != asked.person and not asked.manages:
            return "That is for whoever asked, or for those who manage this channel."
        why = await self._memory.requests.explain(found[0].id, space=place.space)
        readable = await self._readable(asked)
        kept = [
            each
            for each in why.seen
            if each.text
            and each.candidate.fate in ("kept", "shown already")
            and (each.candidate.channel or "") in readable | {""}
        ]
        if not kept:
            return f"For {found[0].query!r} I found nothing in memory beyond what was last said here."
        lines = [f"- {words.clipped(' '.join((each.text or '').split()), 160)}" for each in kept[:_CANDIDATES]]
        return "\n".join([f"For {words.clipped(found[0].query, 200)!r} this came to mind:", *lines])


def _since(since: str) -> str:
    return f", from {since[:10]} on" if since else ", from the beginning"


def _kept(retention: str) -> str:
    """As people say it."""
    kinds = [each.partition("=") for each in retention.split(",") if "=" in each]
    if not kinds:
        return "it is kept until it is erased"
    return ", ".join(f"each {kind.strip()} is kept for {days.strip()} days" for kind, _, days in kinds)


def _portrait(known: About) -> str:
    """What was told and done, and the profile with the notes it came from."""
    facts = [
        f"- {stated.text}" + (f" ({stated.source})" if stated.source else "")
        for stated in (each for section in known.profile.values() for each in section)
    ]
    return "\n\n".join(filter(None, [known.text, "\n".join(facts)]))
