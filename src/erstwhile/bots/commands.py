"""Slash commands. Only the asker sees the reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from erstwhile.api.portraits import About
from erstwhile.base.clock import Clock
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.base.logs import Log
from erstwhile.base.page import every
from erstwhile.bots import replies
from erstwhile.bots.port import ChatPlace, Platform, SlashCommand, UnreadablePlace
from erstwhile.bots.responder import RateLimit, Responder

log = Log(__name__)

_CONFIRMATIONS: Final = ("yes", "sure", "yes please", "i am sure")
_SHOWN_MESSAGES: Final = 10  # of the asker's own, newest first
_SHOWN_SOURCES: Final = 6
_USED: Final = ("kept", "shown already")  # fates
_MAX_PIECES: Final = 4  # messages per reply; Slack accepts at most five
_CHOICES: Final = "`/what-do-you-know` shows what I have of you, `/forget-me` erases it, `/privacy stop` opts you out from now on."
_ONLY_MANAGERS: Final = "Only those who manage this channel can do that."

ListeningChanged = Callable[[ChatPlace], Awaitable[None]]


class SlashCommands:
    def __init__(
        self,
        platform: Platform,
        responder: Responder,
        clock: Clock,
        listening_changed: ListeningChanged,
    ) -> None:
        """`listening_changed` is called with each place whose choice changed."""
        self._platform, self._register = platform, responder.register
        self._responder, self._clock, self._listening_changed = responder, clock, listening_changed
        self._rate_limit = RateLimit(20, 60)
        self._verbs: dict[str, Callable[[SlashCommand], Awaitable[str]]] = {
            "remember": self._remember,
            "forget": self._forget,
            "about": self._about,
            "what-do-you-know": self._what_do_you_know,
            "forget-me": self._forget_me,
            "privacy": self._privacy,
            "memory": self._manage_memory,
        }

    async def answer(self, command: SlashCommand) -> None:
        verdict = self._rate_limit.check(f"{command.place.space} {command.person}")
        if verdict == "silent":
            return
        text = replies.SLOW_DOWN if verdict == "tell" else await self._run_command(command)
        for piece in (await self._responder.pieces(command.place, text))[:_MAX_PIECES]:
            await command.answer(piece)

    async def _run_command(self, command: SlashCommand) -> str:
        verb = self._verbs.get(command.verb)
        if verb is None:
            return f"I don't know the command {command.verb!r}."
        if not self._register.is_enabled(command.place.space):
            return "Memory is off in this server."
        try:
            return await verb(command)
        except (InvalidInput, NotFound) as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - the log has the reason
            reason = f"{type(error).__name__}: {error}"
            log.warning("bot.command_failed", verb=command.verb, reason=reason)
            return replies.FAILED

    # Remember and forget

    async def _remember(self, command: SlashCommand) -> str:
        if not command.words.strip():
            return "Say what to remember: `/remember I am allergic to nuts`."
        if await self._blocked(command):
            return f"{replies.OPTED_OUT} `/privacy start` changes that."
        if not (await self._register.load_state(command.place)).on:
            return replies.not_kept(command.place)
        await self._register.declare(command.place)
        of, channel = command.whom or command.person, command.place.channel
        memory = self._register.memory(command.place)
        await memory.remember(of, command.words, by=command.person, channel=channel)
        return replies.NOTED

    async def _forget(self, command: SlashCommand) -> str:
        if not command.words.strip():
            return "Say what to forget: `/forget my allergy`. To erase everything of yours, use `/forget-me`."
        of, channel = command.whom or command.person, command.place.channel
        memory = self._register.memory(command.place)
        gone = await memory.forget(of, command.words, by=command.person, channel=channel)
        return replies.FORGOTTEN if gone.found else gone.question or replies.NOT_THERE

    # What is known

    async def _about(self, command: SlashCommand) -> str:
        """Describe another person, from channels that the asker can read."""
        if command.whom in (None, command.person):
            return await self._what_do_you_know(command)
        assert command.whom is not None
        try:
            known = await self._known(command, command.whom, await self._readable(command))
        except NotFound:
            return replies.NOBODY_KNOWN
        return replies.describe(known) or replies.NOBODY_KNOWN

    async def _what_do_you_know(self, command: SlashCommand) -> str:
        """Describe the asker: their own messages, and what others wrote where they can read."""
        place = command.place
        readable = await self._platform.readable(place.space, command.person)
        try:
            known = await self._known(command, command.person, readable | {place.channel})
        except NotFound:
            return "I know nothing about you."
        if await self._blocked(command):
            return f"{replies.OPTED_OUT} `/forget-me` erases what was kept before."
        memory = self._register.memory(place)
        said = await memory.people.messages(command.person, limit=_SHOWN_MESSAGES)
        titles = {each.channel: each.title for each in await every(memory.channels.list)}
        latest = [
            f"- {replies.gist(hit.text, 120)} ({titles.get(hit.channel) or hit.channel}, {replies.format_date(hit.at)})"
            for hit in said
        ]
        page = await memory.people.list(people=[command.person])
        count = sum(each.messages for each in page)
        head = f"I keep {count} of your messages. The latest:"
        own = "\n".join([head, *latest]) if latest else ""
        known_and_said = "\n\n".join(filter(None, [replies.describe(known), own]))
        return known_and_said or "I know nothing about you."

    async def _known(self, command: SlashCommand, person: str, within: frozenset[str]) -> About:
        memory, readable = self._register.memory(command.place), sorted(within)
        return await memory.about(person, asker=command.person, fresh=False, within=readable)

    async def _readable(self, command: SlashCommand) -> frozenset[str]:
        place = command.place
        here = frozenset({place.channel})
        if place.direct:
            return here
        return here | await self._platform.readable(place.space, command.person)

    async def _blocked(self, command: SlashCommand) -> bool:
        return await self._responder.blocked(command.place, command.person)

    # Erasure and privacy

    async def _forget_me(self, command: SlashCommand) -> str:
        memory = self._register.memory(command.place)
        page = await memory.people.list(people=[command.person])
        if command.words.strip().casefold().rstrip(".!") not in _CONFIRMATIONS:
            count = sum(each.messages for each in page)
            where = "here" if command.place.direct else "in all channels of this server"
            return (
                f"This erases your {count} messages {where} and everything made from them. It can't be undone. "
                "If you are sure, use `/forget-me` again with `yes`. To opt out from now on: `/privacy stop`."
            )
        receipt = await memory.erase(person=command.person, by=command.person)
        gone = f"{receipt.counts.get('messages', 0)} messages and everything made from them"
        return f"Erased: {gone}. Receipt {receipt.id}. New messages are kept again; `/privacy stop` opts you out."

    async def _privacy(self, command: SlashCommand) -> str:
        wish = command.words.strip().casefold()
        people = self._register.memory(command.place).people
        if wish == "stop":
            await people.block(command.person, by=command.person)
            return (
                "From now on nothing you say is kept or used. `/privacy start` opts in again; `/forget-me` erases "
                "what was kept."
            )
        if wish == "start":
            try:
                await people.unblock(command.person, by=command.person)
            except InvalidInput:
                return "An administrator opted you out here. Only they can change that."
            return "What you say is kept again, in channels that are listened to. What you said in between was not kept."
        return f"{await self._describe_channel(command)}\n{_CHOICES}"

    async def _describe_channel(self, command: SlashCommand) -> str:
        place = command.place
        state = await self._register.load_state(place)
        if not state.on:
            return replies.not_kept(place)
        configured = await self._register.memory(place).spaces.configuration()
        choices = {each.name: each.value for each in configured}
        kept = _describe_retention(choices.get("retention", ""))
        who = "Everyone in this server" if place.open else "Only those who can read this channel"
        return (
            f"I keep what {'you' if place.direct else 'people'} say here{_describe_start(state.since)}; {kept}. "
            f"{'Only you' if place.direct else who} may see it in answers. Edits and deletions are followed."
        )

    # The channel's memory

    async def _manage_memory(self, command: SlashCommand) -> str:
        wish, _, rest = command.words.strip().casefold().partition(" ")
        if wish == "explain":
            return await self._explain(command)
        if wish not in ("on", "off", "status", ""):
            return "Use `/memory explain`, `/memory status`, `/memory on`, `/memory on past` or `/memory off`."
        if not command.manages:
            return _ONLY_MANAGERS
        if wish == "on":
            return await self._on(command, past=rest.strip() in ("past", "past:true", "true"))
        if wish == "off":
            await self._choose(command, on=False, since="")
            return (
                "I no longer listen here. What was kept stays: `/forget-me` erases what is yours, an administrator "
                "can erase the rest."
            )
        state = await self._register.load_state(command.place)
        listening = f"I listen here{_describe_start(state.since)}."
        return listening if state.on else replies.NOT_LISTENING

    async def _on(self, command: SlashCommand, *, past: bool) -> str:
        """Turn listening on, if the bot can read the channel."""
        try:
            now = self._platform.key_at(command.place, self._clock())
            async for _page in self._platform.history(command.place, now):
                break
        except UnreadablePlace:
            return replies.CANT_READ
        past = past and self._platform.has_history
        since = "" if past else (command.at or self._clock()).isoformat()
        await self._choose(command, on=True, since=since)
        return f"I listen here{_describe_start(since)}. Threads go with their channel. `/privacy` says what that means."

    async def _choose(self, command: SlashCommand, *, on: bool, since: str) -> None:
        """Store the choice. With the past, threads of the channel are read from the start too."""
        place = command.place
        await self._register.declare(place)
        chat = self._register.chat(place)
        channels = self._register.memory(place).channels
        await channels.listen(chat, on, since=since, by=command.person, title=place.title)
        await self._register.load(place.space)
        if on:
            here, known = (place.space, place.channel), self._register.places.values()
            threads = [each for each in known if (each.space, each.parent) == here]
            threads = [each for each in threads if self._register.own_choice(each) is None]
            for thread in threads:
                if not since:
                    await channels.mark_read(self._register.chat(thread), "")
                await self._listening_changed(thread)
            await self._listening_changed(place)

    async def _explain(self, command: SlashCommand) -> str:
        place = command.place
        requests = self._register.memory(place).requests
        found = await requests.list(channel=place.channel, op="ask", limit=1)
        if not found:
            return "I have answered nothing here lately."
        if found[0].person != command.person and not command.manages:
            return "Only whoever asked, or those who manage this channel, can see that."
        why = await requests.explain(found[0].id)
        readable = await self._readable(command)
        used = [each for each in why.seen if each.text and each.candidate.fate in _USED]
        kept = [each for each in used if (each.candidate.channel or "") in readable | {""}]
        if not kept:
            beyond = "I found nothing in memory beyond what was last said here."
            return f"For {found[0].query!r} {beyond}"
        lines = [f"- {replies.gist(each.text or '', 160)}" for each in kept[:_SHOWN_SOURCES]]
        return "\n".join([f"For {replies.clip(found[0].query, 200)!r} I used:", *lines])


def _describe_start(since: str) -> str:
    return f", from {since[:10]} on" if since else ", from the beginning"


def _describe_retention(retention: str) -> str:
    kinds = [each.partition("=") for each in retention.split(",") if "=" in each]
    if not kinds:
        return "it is kept until it is erased"
    each = [f"each {kind.strip()} is kept for {days.strip()} days" for kind, _, days in kinds]
    return ", ".join(each)
