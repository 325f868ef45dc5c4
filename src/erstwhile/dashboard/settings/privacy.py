"""Privacy: who can read what, who is blocked, and who shares."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from nicegui import html, ui

from erstwhile.api.memory import Memory
from erstwhile.base.page import Page, every
from erstwhile.configuration.visibility import DECLARED, Audience
from erstwhile.dashboard import parts
from erstwhile.dashboard.settings import fields
from erstwhile.dashboard.viewer import Viewer
from erstwhile.log.people import PersonEntry

_PAGE = 25
Act = Callable[[str], Awaitable[None]]
_PEOPLE = 100
_RULES = {
    "strict": (
        "Content of private and direct channels is visible elsewhere only to those who can read the channel, or if "
        "its people share."
    ),
    "open": "All content of this space is visible everywhere in it.",
}


class PrivacyPart(fields.SettingsPart):
    kinds = ("settings", "channel", "person")

    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer)
        self._all = viewer.asked("channels") == "all"
        self._after = viewer.asked("after")
        self._typed: list[ui.input] = []

    async def draw(self) -> None:
        memory = await self._viewer.reading()
        found = (await self.in_force())["privacy"]
        after = self._after or None
        page = await memory.channels.visibility(declared=not self._all, cursor=after, limit=_PAGE)
        people = await every(memory.people.list)
        await self._viewer.read_titles(each.channel for each in page)
        self._typed.clear()
        with parts.redrawn(self._box):
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
        question = "Make everything visible everywhere in this space?"
        if value == "open" and not await self.confirm(question, "Open it", _RULES["open"]):
            await self.draw()
            return
        await self.configure(privacy=value)
        await self.done("It holds from the next question on.")

    def _channels(self, page: Page[Audience]) -> None:
        with parts.card("Who can read what"):
            with html.nav().classes("row").props('aria-label="Which channels"'):
                for label, which in (("Declared", None), ("All channels", "all")):
                    here = self._all == (which == "all")
                    link = parts.link(label, self._url(channels=which), "button")
                    link.classes("" if here else "quiet")
                    if here:
                        link.props["aria-current"] = "true"
            fields.note(
                "A channel without a declaration is private until two named people have written in it."
                " What is written from then on is visible to everyone."
            )
            if page:
                fields.table(("Channel", "Declared", "Visible to"), map(self._channel, page))
            else:
                fields.note("No channel here." if self._all else "No channel is declared.")
            at = partial(self._url, channels="all" if self._all else None)
            later = at(after=page.next) if page.next else None
            parts.pages(at() if self._after else None, later, parts.FIRST_OR_NEXT)
            if self._viewer.may_write:
                self._declaring()

    def _url(self, **values: str | None) -> str:
        return self._viewer.url("/settings", part="privacy", **values)

    def _channel(self, each: Audience) -> Sequence[parts.Cell]:
        name = self._viewer.title_of(each.channel)
        link = partial(parts.message_link, self._viewer, each.channel, None, name)
        options = ({} if each.privacy else {"": "nothing"}) | {name: name for name in DECLARED}
        declare = partial(self._declared, each.channel, "")
        given = f"{each.channel} is", options, each.privacy or "", declare
        choose = partial(fields.choice, *given, bare=True)
        since = f", from message {each.since:,} on" if each.since > 1 else ""
        more = each.count - len(each.people)
        names = ", ".join(each.people.values()) or "nobody named"
        names += f" and {more:,} more" if more > 0 else ""
        everyone = partial(parts.badge, f"everyone in this space{since}")
        visible = everyone if each.everyone else partial(parts.said, names)
        return link, choose if self._viewer.may_write else each.privacy or "nothing", visible

    def _declaring(self) -> None:
        with parts.section("Declare a channel", open=False):
            with html.div().classes("grid"):
                channel = fields.line("Channel")
                people = fields.line("Who else can read it", hint="ids, with commas between")
            self._typed += [channel, people]
            with html.div().classes("row"):
                for name in DECLARED:
                    declare = partial(self._declare, channel, people, name)
                    parts.button(f"Make it {name}", declare)

    async def _declare(self, channel: ui.input, people: ui.input, privacy: str) -> None:
        await self._declared(str(channel.value or ""), str(people.value or ""), privacy)

    async def _declared(self, channel: str, people: str, privacy: str) -> None:
        if not privacy:
            return
        more = "Its content is removed from elsewhere, and does not come back there if you open the channel later."
        question = f"Make {channel or 'the channel'} {privacy}?"
        if privacy != "open" and not await self.confirm(question, f"Make it {privacy}", more):
            await self.draw()
            return
        memory = await self._viewer.writing()
        named = [each.strip() for each in people.split(",") if each.strip()]
        await memory.channels.set_privacy(memory.channel(channel), privacy, people=named)
        await self.done(f"{channel} is {privacy} from the next question on.")

    def _people(self, people: Sequence[PersonEntry]) -> None:
        blocked = [each for each in people if each.blocked]
        sharing = [each for each in people if each.shares and not each.blocked]
        with parts.card("People"):
            html.h3(f"Blocked: {len(blocked):,}")
            fields.note("Their messages are not stored, and nothing stored about them is recalled.")
            self._list(blocked, "Unblock", self._unblocked)
            html.h3(f"Share their private channels: {len(sharing):,} of {len(people):,}")
            shared = "Content of a private channel is visible elsewhere once all its people share."
            fields.note(shared)
            self._list(sharing, "Stop sharing", partial(self._shares, False))
            if self._viewer.may_write:
                with html.div().classes("row"):
                    who = fields.line("A person's id")
                    self._typed.append(who)

                    def act(work: Act) -> parts.Handler:
                        return lambda: work(str(who.value or ""))

                    parts.button("Block", act(self._blocked), kind="danger")
                    parts.button("Mark as sharing", act(partial(self._shares, True)))

    def _list(self, people: Sequence[PersonEntry], label: str, act: Act) -> None:
        if not people:
            return
        with html.ul().classes("list"):
            for each in people[:_PEOPLE]:
                with html.li().classes("row between"):
                    name = each.name if each.name == each.person else f"{each.name} ({each.person})"
                    parts.person_link(self._viewer, each.person, name)
                    if self._viewer.may_write:
                        work, said = partial(act, each.person), f"{label}: {each.name}"
                        parts.button(label, work, kind="small", name=said)
        if len(people) > _PEOPLE:
            fields.note(f"and {len(people) - _PEOPLE:,} more")

    async def _blocked(self, person: str) -> None:
        memory = await self._viewer.writing()
        await memory.people.block(person)
        await self.done(f"{person} is blocked.", undo=partial(self._unblocked, person))

    async def _unblocked(self, person: str) -> None:
        memory = await self._viewer.writing()
        await memory.people.unblock(person)
        undo = partial(self._blocked, person)
        await self.done(f"{person} is remembered again from now on.", undo=undo)

    async def _shares(self, shares: bool, person: str) -> None:
        memory = await self._viewer.writing()
        await memory.people.share(person, shares)
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
                unlisted = "This space is not in the list: its messages are not stored or recalled."
                html.p(unlisted).classes("wrong")
            if listed and self._viewer.caller.admin:
                outside = [each for each in self._viewer.spaces if each not in listed]
                for what, those in (("Remembered", listed), ("Not in the list", outside)):
                    if those:
                        html.p(f"{what}: {', '.join(those)}.").props("dir=auto")
            how = "Set with ERSTWHILE_SPACES where the server starts; none named: all of them."
            fields.note(how)

    async def changed(self) -> None:
        if not any(field.value for field in self._typed):  # what someone is typing stays
            await self.draw()


class RetentionPart(fields.SettingsPart):
    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer)
        self._fields: dict[str, ui.input] = {}
        self._was: dict[str, str] = {}

    async def draw(self) -> None:
        memory = await self._viewer.reading()
        kept = (await self.in_force())["retention"]
        self._was = fields.days(kept.value)
        going = await memory.archive.expiring()
        rows = []
        for kind, label in fields.kinds().items():
            due = f"{going.by_kind.get(kind, 0):,}"
            rows.append((partial(html.strong, label), partial(self._days, kind, label), due))
        with parts.redrawn(self._box), parts.card("How long each kind is kept"):
            nothing = "Nothing is set: everything is kept for good."
            fields.note(f"Set by {kept.source}." if kept.value != "never" else nothing)
            fields.table(("Kind", "Kept for", "Would expire now"), rows)
            fields.note(
                "A worker expires every hour what has been kept long enough, unless a job still needs it. Memories "
                "made from an expired message stay. Empty means for good."
            )
            if self._viewer.may_write:
                with html.div().classes("row"):
                    parts.button("Save for this space", self._saved, kind="primary")
                    if kept.own:
                        parts.button("Use the server's again", self._taken_back)
                    html.span().classes("grow")
                    self._run = parts.button("Run now", self._expired, kind="danger")
                    self._run.props["disabled"] = not self._was

    def _days(self, kind: str, label: str) -> None:
        days = self._was.get(kind, "")
        if self._viewer.may_write:
            with html.div().classes("days"):
                self._fields[kind] = fields.line(f"{label}: days", days, hint="for good", bare=True)
                html.span("days").classes("quiet-text")
        else:
            html.span(f"{days} days" if days else "for good")

    def _typed(self) -> dict[str, str]:
        return {kind: str(field.value or "").strip() for kind, field in self._fields.items()}

    async def _saved(self) -> None:
        await self.configure(retention=fields.retention(self._typed()))
        await self.done("Saved for this space. Nothing expires before the next run.")

    async def _taken_back(self) -> None:
        await self.configure(retention="")
        await self.done("The server's retention is in force again.")

    async def _expired(self) -> None:
        more = "It is removed for good, also from search."
        if not await self.confirm("Expire now what has been kept long enough?", "Run now", more):
            return
        memory = await self._viewer.writing()
        with parts.busy_button(self._run, "Running…"):
            gone = await memory.archive.expire()
        await self.done(fields.expired(gone))

    async def changed(self) -> None:
        if {kind: days for kind, days in self._typed().items() if days} == self._was:
            await self.draw()
