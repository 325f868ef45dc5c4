"""Answer posts that address the bot, using only what everyone in that place could have read."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import Final, Literal

from erstwhile.base import ids
from erstwhile.base.errors import NotFound, SettingsError
from erstwhile.base.logs import Log
from erstwhile.bots import replies
from erstwhile.bots.capture import PlaceRegister
from erstwhile.bots.port import ChatPlace, Platform, Post
from erstwhile.memories import registry
from erstwhile.search.model import Hit

Decision = Literal["go", "tell", "silent"]

_MOST: Final = 10_000  # counted at the same time; the least recent is removed first


class RateLimit:
    """Allow `count` calls in `seconds` for each caller. Beyond that: "tell" once, then "silent"."""

    def __init__(
        self, count: int, seconds: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._count, self._seconds, self._now = count, seconds, now
        self._times: OrderedDict[str, deque[float]] = OrderedDict()
        self._told: dict[str, float] = {}

    def check(self, who: str) -> Decision:
        now = self._now()
        times = self._times.setdefault(who, deque())
        self._times.move_to_end(who)
        while times and now - times[0] >= self._seconds:
            times.popleft()
        if len(times) < self._count:
            times.append(now)
            self._told.pop(who, None)
            while len(self._times) > _MOST:
                gone, _ = self._times.popitem(last=False)
                self._told.pop(gone, None)
            return "go"
        if now - self._told.get(who, now - self._seconds) >= self._seconds:
            self._told[who] = now
            return "tell"
        return "silent"


log = Log(__name__)

_TIMEOUT: Final = 120.0  # seconds: for its turn, for a command, and of silence during an answer
_CONCURRENT: Final = 4  # answers at the same time
_SHOWN_HITS: Final = 5  # shown without a model
_HIT_CHARACTERS: Final = 300
_MAX_NAMES: Final = 50  # people named in one answer
_MODEL_FAILED: Final = "[The model failed:"  # how `ask` reports a failure
_NOTICE_LIMIT: Final = (1, 3600.0)
_SYSTEM: Final = (
    "You answer in a group chat. Be brief and plain. Say only what the memory or the conversation supports; if it is "
    "not there, say that you don't know. Speak of people by their names."
)


class Responder:
    def __init__(self, platform: Platform, register: PlaceRegister) -> None:
        self._platform, self.register, self._timeout = platform, register, _TIMEOUT
        self._slots = asyncio.Semaphore(_CONCURRENT)
        self.people = RateLimit(6, 60)
        self.places = RateLimit(20, 60)
        self._notices = RateLimit(*_NOTICE_LIMIT)

    async def answer(self, post: Post) -> None:
        place = post.place
        if not self.register.is_enabled(place.space) or await self.blocked(place, post.person):
            return
        if not (await self.register.load_state(place)).on:
            if self._notices.check(f"{place.space} {place.channel} {post.person}") == "go":
                why = replies.not_kept(place)
                if not await self._platform.send_private(place, post.person, why):
                    await self._platform.send(place, why, post.key)
            return
        person, here = f"{place.space} {post.person}", f"{place.space} {place.channel}"
        verdicts = self.people.check(person), self.places.check(here)
        if verdicts != ("go", "go"):
            if "silent" not in verdicts:
                await self._platform.send(place, replies.SLOW_DOWN, post.key)
            return
        try:
            async with asyncio.timeout(self._timeout):
                await self._slots.acquire()
            try:
                text = await self._answer(post)
            finally:
                self._slots.release()
        except Exception as error:  # noqa: BLE001 - the log has the reason
            log.warning("bot.answer_failed", reason=f"{type(error).__name__}: {error}")
            text = replies.FAILED
        for piece in await self.pieces(place, text):
            await self._platform.send(place, piece, post.key)

    async def pieces(self, place: ChatPlace, text: str) -> list[str]:
        """Return the messages of a reply: with names for mentions, none of which pings."""
        people = sorted(replies.mentioned_people(text))[:_MAX_NAMES]
        named = replies.use_names(text, await self._names(place, people), self._platform.me)
        return replies.split(replies.disable_pings(named), self._platform.max_length)

    async def blocked(self, place: ChatPlace, person: str) -> bool:
        found = await self.register.memory(place).people.list(people=[person])
        return any(each.blocked for each in found)

    async def within(self, place: ChatPlace, person: str) -> list[str]:
        """Return the channels to answer from: this place, and channels that everyone can read, as
        far as the asker can too. A direct conversation is a space of its own."""
        if place.direct:
            return [place.channel]
        readable = await self._platform.readable(place.space, person)
        return sorted({place.channel} | (readable & self.register.open_channels(place.space)))

    async def _answer(self, post: Post) -> str:
        text = replies.strip_mention(post.text, self._platform.me)
        if not text:
            return replies.HELLO
        chat = self.register.chat(post.place)
        async with asyncio.timeout(self._timeout):
            done = await chat.command(text, person=post.person, name=post.name or None)
        if done.intent == "talk":
            return await self._talk(post, text)
        if done.person is None:
            return done.text or replies.FAILED
        if done.intent == "remember":
            return replies.NOTED
        if done.intent == "forget":
            return replies.FORGOTTEN if done.found else replies.NOT_THERE
        async with asyncio.timeout(self._timeout):
            return await self._about(post, done.person)

    async def _about(self, post: Post, person: str) -> str:
        """Send what is known about a person to the asker alone."""
        place = post.place
        within = {place.channel}
        if not place.direct:
            within |= await self._platform.readable(place.space, post.person)
        memory = self.register.memory(place)
        try:
            known = await memory.about(person, asker=post.person, within=sorted(within))
        except NotFound:
            return replies.NOBODY_KNOWN
        text = replies.describe(known)
        if not text:
            return replies.NOBODY_KNOWN
        if place.direct:
            return text
        pieces = await self.pieces(place, text)
        sent = [await self._platform.send_private(place, post.person, piece) for piece in pieces]
        return replies.SENT if all(sent) else replies.UNSENT

    async def _talk(self, post: Post, text: str) -> str:
        within = await self.within(post.place, post.person)
        quoted = f"Your own words, to which this is a reply:\n{replies.quote(post.answers)}"
        pieces: list[str] = []
        cut_off = False
        async with self._platform.typing(post.place):
            try:
                stream = self.register.chat(post.place).ask(
                    text,
                    person=post.person,
                    name=post.name or None,
                    system=_SYSTEM,
                    sources=quoted if post.answers else "",
                    recipe="community",
                    within=within,
                    keep=False,
                )
                async with asyncio.timeout(self._timeout) as silence:
                    async for piece in stream:
                        pieces.append(piece)
                        silence.reschedule(asyncio.get_running_loop().time() + self._timeout)
            except SettingsError:
                return await self._answer_from_search(post, text, within)
            except TimeoutError:
                log.warning("bot.answer_cut_off", reason=f"silent for {self._timeout:g} s")
                cut_off = True
        if pieces and pieces[-1].lstrip().startswith(_MODEL_FAILED):
            pieces.pop()
            cut_off = True
        said = "".join(pieces).strip()
        return f"{said}{'…' if cut_off else ''}" if said else replies.FAILED

    async def _answer_from_search(self, post: Post, text: str, within: Sequence[str]) -> str:
        """Answer without a model: the best hits. The question itself is no answer."""
        memory, me = self.register.memory(post.place), self._platform.me
        async with asyncio.timeout(self._timeout):
            hits = await memory.search(
                text, asker=post.person, within=within, limit=4 * _SHOWN_HITS, kinds=_shown_kinds()
            )
        lines: dict[str, Hit] = {}
        for hit in hits:
            said = hit.text.strip()
            repeats = said.casefold().endswith(post.text.strip().casefold())
            if said and not repeats and not (me and me in replies.mentioned_people(said)):
                lines.setdefault(said, hit)
        if not lines:
            return replies.NOTHING_KNOWN
        best = list(lines.values())[:_SHOWN_HITS]
        people = sorted({hit.person for hit in best if hit.person})
        names = await self._names(post.place, people)
        shown = []
        for hit in best:
            who = names.get(hit.person or "", hit.person)
            by = ", ".join(filter(None, [who, replies.format_date(hit.at)]))
            shown.append(f"- {replies.gist(hit.text, _HIT_CHARACTERS)} ({by})")
        return "\n".join([replies.NO_MODEL, *shown])

    async def _names(self, place: ChatPlace, people: Sequence[str]) -> dict[str, str]:
        if not people:
            return {}
        found = await self.register.memory(place).people.list(people=people)
        return {each.person: " ".join(each.name.split()) for each in found}


def _shown_kinds() -> tuple[str, ...]:
    hidden = registry.grouped("summary", "person")
    return tuple(kind for kind in ids.kinds() if kind not in hidden)
