"""Who may hear what: a memory from a private channel is not told in another, unless all who hear it there were in it, or its people share.

A channel is open, private or direct, as declared; where nothing was declared, it is open once two named people have spoken in it, and
private until then. What nobody's channel is the source of (told by the app itself) is for everyone in the space.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.configuration.prompts import queries as chosen
from erstwhile.events import store as events
from erstwhile.log import append
from erstwhile.log import people as known_people
from erstwhile.log.store import queries
from erstwhile.storage import Row, Transaction

OPEN: Final = "open"
DECLARED: Final = ("open", "private", "direct")
EVERYONE: Final = ""  # the audience of what anyone in the space may hear
_SEVERAL = 2
_MOST_SHOWN = 20  # people named of one channel


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may hear what is said in a channel: `everyone` in the space, or its `people`, ids with names, the first of `count`. `privacy` is
    what was declared."""

    channel: str
    privacy: str | None
    everyone: bool
    count: int
    people: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Page:
    """Of channels, in order: those after a name; only the `declared` ones, where wanted."""

    after: str
    limit: int
    declared: bool


class Hearing:
    """`default` is the house's rule: "strict", or "open" where everything in a space may be told everywhere in it. `within`: the app says
    itself what may be told, the rule about who listens does not count."""

    def __init__(self, default: str, within: frozenset[str] | None = None) -> None:
        self._default = default
        self._within = within

    def only(self, within: Sequence[str] | None) -> Hearing:
        """For one question that the app answers of these channels alone; None leaves it to the rule."""
        return self if within is None else Hearing(self._default, frozenset(within))

    async def audience(self, tx: Transaction, channel: str | None) -> str:
        """Who may hear what is said in a channel: everyone (""), or those of the channel, whose name it then is."""
        if not channel or await self._lax(tx):
            return EVERYONE
        return EVERYONE if _open(await _standing(tx, [channel], channel), channel) else channel

    async def audiences(self, tx: Transaction, channels: Iterable[str]) -> dict[str, str]:
        """The same of many."""
        wanted = sorted(set(channels))
        if await self._lax(tx):
            return dict.fromkeys(wanted, EVERYONE)
        rows = await _standing(tx, wanted, "")
        return {channel: EVERYONE if _open(rows, channel) else channel for channel in wanted}

    async def heard(
        self, tx: Transaction, here: str | None, channels: Iterable[str], asker: str | None = None
    ) -> frozenset[str]:
        """Of these channels, those whose memories may be told `here`, where `asker` listens too. None is whoever runs the memory, who hears
        all. The channel "" is always heard."""
        named = frozenset(channels)
        wanted = {channel for channel in named if channel and channel != here}
        certain = named - wanted
        if self._within is not None:
            return certain | (wanted & self._within)
        if here is None or not wanted or await self._lax(tx):
            return certain | wanted
        rows = await _standing(tx, [*wanted, here], here, asker or "")
        present = asker is not None or (here in rows and rows[here]["people"] > 0)
        closed = present and not _open(rows, here)
        return certain | {channel for channel in wanted if _told(rows, channel, closed=closed)}

    async def shown(self, tx: Transaction, page: Page) -> list[Audience]:
        wanted = {"after": page.after, "declared": int(page.declared)}
        rows = await tx.all(queries.audiences, **wanted, limit=page.limit)
        if not rows:
            return []
        named = [row["channel"] for row in rows]
        standing, heard = await _standing(tx, named, ""), await self.audiences(tx, named)
        hearers = await tx.all(queries.hearers, **wanted, last=named[-1], most=_MOST_SHOWN)
        names = await known_people.names_of(tx, {row["person"] for row in hearers})
        return [
            Audience(
                channel=row["channel"],
                privacy=row["privacy"] or None,
                everyone=heard[row["channel"]] == EVERYONE,
                count=standing[row["channel"]]["people"],
                people={each["person"]: names[each["person"]] for each in hearers if each["channel"] == row["channel"]},
            )
            for row in rows
        ]

    async def declare(self, tx: Transaction, channel: str, privacy: str, people: Sequence[str], now: datetime) -> None:
        if privacy not in DECLARED:
            raise InvalidInput(f"A channel can't be {privacy!r}. Use one of {', '.join(DECLARED)}.")
        await append.open_channel(tx, channel, now)
        await tx.run(queries.set_privacy, channel=channel, privacy=privacy)
        await events.emit(tx, "channel", "declared", channel, channel=channel)
        if people:
            await tx.run_many(
                queries.add_speaker, [{"channel": channel, "person": person} for person in sorted(set(people))]
            )

    async def _lax(self, tx: Transaction) -> bool:
        row = await tx.first(chosen.setting, name="privacy")
        return (row["value"] if row else self._default) == OPEN


async def _standing(tx: Transaction, channels: Sequence[str], here: str, asker: str = "") -> dict[str, Row]:
    named = json.dumps(sorted(set(channels)))
    rows = await tx.all(queries.heard, channels=named, here=here, asker=asker) if channels else []
    return {row["channel"]: row for row in rows}


def _open(rows: dict[str, Row], channel: str) -> bool:
    row = rows.get(channel)
    if row is None:
        return False
    return row["privacy"] == OPEN or (not row["privacy"] and row["people"] >= _SEVERAL)


def _told(rows: dict[str, Row], channel: str, *, closed: bool) -> bool:
    row = rows.get(channel)
    if row is None:
        return False
    willing = row["people"] > 0 and row["unwilling"] == 0
    return _open(rows, channel) or willing or (closed and row["people"] > 0 and row["lacks"] == 0)
