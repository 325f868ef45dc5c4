"""Privacy rules: who hears what, who is not remembered at all, and who shares."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from nicegui import html, ui

from erstwhile.base import origins
from erstwhile.configuration.hearing import DECLARED, Audience
from erstwhile.dashboard import parts
from erstwhile.dashboard.settings import fields, labels
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.log.people import Person
from erstwhile.memory import Memory

_PAGE = 25
_PEOPLE = 100
_RULES = {
    "strict": "What was said in private or direct channels is told elsewhere only where all who listen were there, or its people share.",
    "open": "Everything said in this space may be told everywhere in it.",
}


async def show(viewer: Viewer) -> None:
    privacy = PrivacyPart(viewer)
    await privacy.draw()
    viewer.live(privacy.changed, kinds=("settings", "channel", "person"))


class PrivacyPart(fields.SettingsPart):
    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer)
        self._all = viewer.asked("channels") == "all"
        self._after = viewer.asked("after")
        self._typed: list[ui.input] = []

    async def draw(self) -> None:
        memory, space = await self._viewer.reading(), self._viewer.space
        found = labels.in_force(await memory.configuration(space=space), origins.listed(memory.settings))["privacy"]
        page = await memory.audiences(space=space, declared=not self._all, after=self._after, limit=_PAGE + 1)
        people = await memory.people(space=space)
        self._box.clear()
        self._typed.clear()
        with self._box:
            self._rule(found.value, found.source, own=found.own)
            self._channels(page)
            self._people(people)
            self._spaces(memory)

    def _rule(self, value: str, source: str, *, own: bool) -> None:
        with parts.card("The rule"):
            with html.div().classes("row"):
                parts.badge(value, "good" if value == "strict" else "warn")
                html.span(f"from {source}").classes("quiet-text")
            html.p(_RULES[value])
            if self._viewer.may_write:
                options = {"": "the server's", "strict": "strict", "open": "open"}
                fields.choice("For this space", options, value if own else "", self._ruled)

    async def _ruled(self, value: str) -> None:
        if value == "open" and not await self.sure(
            "Tell everything everywhere in this space?", "Open it", more=_RULES["open"]
        ):
            await self.draw()
            return
        memory = await self._viewer.writing()
        await memory.configure(space=self._viewer.space, privacy=value)
        await self.done("It holds from the next question on.")

    # Channels

    def _channels(self, page: Sequence[Audience]) -> None:
        with parts.card("Who hears what"):
            with html.nav().classes("row").props('aria-label="Which channels"'):
                for label, which in (("Declared", None), ("All channels", "all")):
                    here = self._all == (which == "all")
                    link = parts.link(label, self._url(channels=which), "button" if here else "button quiet")
                    if here:
                        link.props["aria-current"] = "true"
            fields.note(
                "A channel of which nothing was declared is private until two named people have spoken in it; then everyone hears it."
            )
            if page:
                with fields.table("Channel", "Declared", "Heard by"):
                    for each in page[:_PAGE]:
                        self._channel(each)
            else:
                fields.note("No channel here." if self._all else "Nothing was declared of any channel.")
            later = (
                self._url(channels="all" if self._all else None, after=page[_PAGE - 1].channel)
                if len(page) > _PAGE
                else None
            )
            if self._after or later:
                with html.div().classes("row"):
                    if self._after:
                        parts.link("‹ From the first", self._url(channels="all" if self._all else None), "button")
                    if later:
                        parts.link("More ›", later, "button")
            if self._viewer.may_write:
                self._declaring()

    def _url(self, **values: str | None) -> str:
        return self._viewer.url("/settings", part="privacy", **values)

    def _channel(self, each: Audience) -> None:
        with html.tr():
            with fields.cell("Channel"):
                parts.link(each.channel, self._viewer.url("/conversations/channel", channel=each.channel))
            with fields.cell("Declared"):
                if self._viewer.may_write:
                    options = {} if each.privacy else {"": "nothing"}
                    fields.choice(
                        f"{each.channel} is",
                        options | {name: name for name in DECLARED},
                        each.privacy or "",
                        partial(self._declared, each.channel, ""),
                        bare=True,
                    )
                else:
                    html.span(each.privacy or "nothing")
            with fields.cell("Heard by"):
                if each.everyone:
                    parts.badge("everyone in this space")
                else:
                    names = ", ".join(each.people.values()) or "nobody named"
                    more = each.count - len(each.people)
                    html.span(names + (f" and {more:,} more" if more > 0 else "")).props("dir=auto")

    def _declaring(self) -> None:
        with parts.section("Declare a channel", open=False):
            with html.div().classes("grid"):
                channel = fields.line("Channel")
                people = fields.line("Who else hears it", hint="ids, with commas between")
            self._typed += [channel, people]
            with html.div().classes("row"):
                for name in DECLARED:

                    async def said(name: str = name) -> None:
                        await self._declared(str(channel.value or ""), str(people.value or ""), name)

                    parts.button(f"Make it {name}", said)

    async def _declared(self, channel: str, people: str, privacy: str) -> None:
        if not privacy:
            return
        if privacy != "open" and not await self.sure(
            f"Make {channel or 'the channel'} {privacy}?",
            f"Make it {privacy}",
            more="What was told elsewhere of it is taken back, and is not told there again if you open it later.",
        ):
            await self.draw()
            return
        memory = await self._viewer.writing()
        named = [each.strip() for each in people.split(",") if each.strip()]
        await memory.declare(memory.channel(channel, space=self._viewer.space), privacy, people=named)
        await self.done(f"{channel} is {privacy} from the next question on.")

    # People

    def _people(self, people: Sequence[Person]) -> None:
        blocked = [each for each in people if each.blocked]
        sharing = [each for each in people if each.shares and not each.blocked]
        with parts.card("People"):
            html.h3(f"Blocked: {len(blocked):,}")
            fields.note("Nothing they say is kept, and nothing that is kept of them is recalled.")
            self._list(blocked, "Unblock", self._unblocked)
            html.h3(f"Share what they said in private: {len(sharing):,} of {len(people):,}")
            fields.note(
                "A private channel's words are told elsewhere once all its people share. Everyone else does not."
            )
            self._list(sharing, "Stop sharing", partial(self._shares, False))
            if self._viewer.may_write:
                with html.div().classes("row"):
                    who = fields.line("A person's id")
                    self._typed.append(who)

                    async def block() -> None:
                        await self._blocked(str(who.value or ""))

                    async def share() -> None:
                        await self._shares(True, str(who.value or ""))

                    parts.button("Block", block, kind="danger")
                    parts.button("Mark as sharing", share)

    def _list(self, people: Sequence[Person], label: str, act: Callable[[str], Awaitable[None]]) -> None:
        if not people:
            return
        with html.ul().classes("list"):
            for each in people[:_PEOPLE]:
                with html.li().classes("row between"):
                    url = self._viewer.url("/people/person", person=each.person)
                    parts.link(each.name if each.name == each.person else f"{each.name} ({each.person})", url)
                    if self._viewer.may_write:
                        parts.button(label, partial(act, each.person), kind="small", name=f"{label}: {each.name}")
        if len(people) > _PEOPLE:
            fields.note(f"and {len(people) - _PEOPLE:,} more")

    async def _blocked(self, person: str) -> None:
        memory = await self._viewer.writing()
        await memory.block(person, space=self._viewer.space)
        await self.done(f"{person} is blocked.", undo=partial(self._unblocked, person))

    async def _unblocked(self, person: str) -> None:
        memory = await self._viewer.writing()
        await memory.unblock(person, space=self._viewer.space)
        await self.done(f"{person} is remembered again from now on.", undo=partial(self._blocked, person))

    async def _shares(self, shares: bool, person: str) -> None:
        memory = await self._viewer.writing()
        await memory.share(person, shares, space=self._viewer.space)
        said = f"{person} shares." if shares else f"{person} no longer shares."
        await self.done(said, undo=partial(self._shares, not shares, person))

    def _spaces(self, memory: Memory) -> None:
        listed = memory.settings.spaces
        with parts.card("Spaces"):
            if not listed:
                html.p("Every space is remembered.")
            elif self._viewer.space in listed:
                html.p("This space is among those remembered.")
            else:
                html.p("This space is not among those remembered: nothing said here is kept or recalled.").classes(
                    "wrong"
                )
            if listed and self._viewer.caller.admin:
                html.p(f"Remembered: {', '.join(listed)}.").props("dir=auto")
                outside = [each for each in self._viewer.spaces if each not in listed]
                if outside:
                    html.p(f"There, but outside the list: {', '.join(outside)}.").props("dir=auto")
            fields.note("Set with ERSTWHILE_SPACES where the server starts; none named: all of them.")

    async def changed(self, _events: Sequence[Event]) -> None:
        if not any(field.value for field in self._typed):  # what someone is typing stays
            await self.draw()
