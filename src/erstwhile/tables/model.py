from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from typing import Final, Literal

from erstwhile.base.records import dataclass

KINDS: Final = ("person", "channel", "message", "source")
SPACE: Final = "space"


@dataclass(frozen=True, slots=True)
class Table:
    """A table, by the columns that erasure and exports go by.

    - `person`, `channel`: columns that name one. A row belongs to whom the first of them names; the
      others must not name who was erased either.
    - `by`: a column that names who changed a row; their name is replaced by `nobody`.
    - `memory`: columns with the ids of memories that the row belongs to.
    - `listed`: its rows are erased by their ids, which are listed in `erasing`.
    - `words`: of an erased memory or message, the row `id` is deleted or these columns are empty.
    - `kept`: the condition, in SQL, of a person's rows that stay.
    - `counted`: a receipt counts its erased rows.
    - `exported`: with what it belongs to; "space": only with the whole space; "": never, because
      it is the server's or can be made again."""

    name: str
    person: tuple[str, ...] = ()
    channel: tuple[str, ...] = ()
    by: str = ""
    nobody: str = ""
    memory: tuple[str, ...] = ()
    listed: bool = False
    words: tuple[str, ...] = ()
    kept: str = ""
    counted: bool = False
    exported: Literal["all", "space", ""] = "all"


@dataclass(frozen=True, slots=True)
class Subject:
    """What to erase: one of these. A `source` is named in the meta of messages."""

    person: str | None = None
    channel: str | None = None
    message: str | None = None
    source: str | None = None

    @property
    def kind(self) -> str:
        return next((kind for kind in KINDS if getattr(self, kind) is not None), "message")

    @property
    def name(self) -> str:
        return getattr(self, self.kind) or ""

    @property
    def single(self) -> bool:
        """Whether only single messages are erased."""
        return self.person is None and self.channel is None and self.source is None

    @property
    def hand(self) -> str | None:
        """The writer of memories that the person wrote by hand."""
        return None if self.person is None else f"hand:{self.person}"


@dataclass(slots=True)
class Erasing:
    """An erasure under way. `channels` are erased completely, and `people`: first the person, in
    the end also those of whom nothing else is known. `since`: when the first of it was stored;
    `counts`: rows erased so far, for the receipt."""

    subject: Subject
    now: datetime
    channels: Sequence[str] = ()
    people: Sequence[str] = ()
    since: int | None = None
    counts: Counter[str] = field(default_factory=Counter)
