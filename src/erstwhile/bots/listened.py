"""What the bot knows of places without asking: what was chosen for them, what was declared of them, and how they look now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.bots.port import Place, Said
from erstwhile.log.listening import Listened


@dataclass(frozen=True, slots=True)
class Ear:
    """Whether a place is listened to, from when on, and how far it was heard. `known`: someone chose, or something was heard there once."""

    on: bool
    known: bool
    since: str
    heard: str
    audited: str = ""
    audited_at: datetime | None = None

    def wants(self, said: Said) -> bool:
        return (
            self.on
            and not said.bot
            and bool(said.text.strip())
            and (not self.since or said.at >= datetime.fromisoformat(self.since))
        )


class Register:
    """`places`: as the platform last showed them."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._chosen: dict[str, dict[str, Listened]] = {}
        self._declared: dict[str, dict[str, tuple[str | None, str]]] = {}
        self.places: dict[tuple[str, str], Place] = {}

    @property
    def spaces(self) -> list[str]:
        return sorted(self._chosen)

    def remembered(self, space: str) -> bool:
        allowed = self._memory.settings.spaces
        return not allowed or space in allowed

    def chat(self, place: Place) -> Channel:
        return self._memory.channel(place.channel, place.space)

    async def load(self, space: str) -> None:
        """Anew: others may have chosen too, on the command line or over HTTP."""
        declared = await self._memory.channels.list(space=space)
        self._chosen[space] = {each.channel: each for each in await self._memory.channels.listening(space=space)}
        self._declared[space] = {each.channel: (each.privacy, each.title) for each in declared}

    async def ear(self, place: Place) -> Ear:
        if place.space not in self._chosen:
            await self.load(place.space)
        return self.now(place)

    def now(self, place: Place) -> Ear:
        """A thread goes with its channel, unless it was chosen itself."""
        chosen = self._chosen.get(place.space, {})
        own = chosen.get(place.channel)
        decides = own if own is not None and own.on is not None else chosen.get(place.parent or "")
        on = decides is not None and bool(decides.on) and self.remembered(place.space)
        return Ear(
            on=on,
            known=own is not None or decides is not None,
            since=decides.since if decides is not None else "",
            heard=own.heard if own is not None else "",
            audited=own.audited if own is not None else "",
            audited_at=own.audited_at if own is not None else None,
        )

    def unheard(self, place: Place) -> bool:
        """Certainly nothing that happens there is any of our business."""
        return place.space in self._chosen and not place.direct and not self.now(place).known

    def chosen(self, place: Place) -> Listened | None:
        """What someone chose for this very place."""
        own = self._chosen.get(place.space, {}).get(place.channel)
        return own if own is not None and own.on is not None else None

    def see(self, places: Iterable[Place], no_longer: Iterable[tuple[str, str]] = ()) -> None:
        """`no_longer`: what was seen before, and counts no more if it is not among these."""
        for gone in no_longer:
            self.places.pop(gone, None)
        self.places.update({(place.space, place.channel): place for place in places})

    def unseen(self, space: str, *, direct: bool) -> list[Place]:
        """Where something was chosen or heard, and the platform does not show it; who could read it, nobody knows."""
        return [
            Place(space, each.channel, each.title, open=False, direct=direct)
            for each in self._chosen.get(space, {}).values()
            if (space, each.channel) not in self.places
        ]

    def unnamed(self, space: str) -> list[str]:
        """Channels of which something is stored, and that the platform has not shown."""
        return [channel for channel in self._declared.get(space, {}) if (space, channel) not in self.places]

    def forget(self, place: Place) -> None:
        self.places.pop((place.space, place.channel), None)

    def open_in(self, space: str) -> frozenset[str]:
        """The channels that everyone in the space can read: as they are now, or as they were declared where that can't be seen."""
        seen = {place.channel: place.open for (of, _), place in self.places.items() if of == space}
        declared = {channel: privacy == "open" for channel, (privacy, _) in self._declared.get(space, {}).items()}
        return frozenset(channel for channel, is_open in (declared | seen).items() if is_open)

    def declared(self, place: Place) -> bool:
        return self._declared.get(place.space, {}).get(place.channel, (None, ""))[0] is not None

    async def declare(self, place: Place) -> None:
        """Who can read the place, and what it is called, where that is not what was declared so far."""
        privacy = "direct" if place.direct else "open" if place.open else "private"
        declared = self._declared.setdefault(place.space, {})
        title = place.title or declared.get(place.channel, (None, ""))[1]
        if self.remembered(place.space) and declared.get(place.channel) != (privacy, title):
            await self._memory.channels.set_privacy(self.chat(place), privacy, title=title)
            declared[place.channel] = (privacy, title)
