"""The part of the door for looking at what speaks against memories: instructions, claims of authority, secrets, contradictions."""

from __future__ import annotations

from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput
from erstwhile.door import Door
from erstwhile.index.flags import REASONS
from erstwhile.log import check
from erstwhile.search import flagged as flagging
from erstwhile.search.flagged import DECISIONS, Asked, Flagged

_MOST = 500  # in one page


class Reviewing(Door):
    async def flagged(
        self,
        *,
        space: str | None = None,
        reason: str | None = None,
        reviewed: bool = False,
        before: str | None = None,
        limit: int = 50,
    ) -> list[Flagged]:
        """Memories that something speaks against and nobody has looked at yet (or, `reviewed`, that someone has), from the newest back. The
        next page is `before` the id of the last one seen."""
        if reason is not None and reason not in REASONS:
            raise InvalidInput(f"Unknown reason {reason!r}. Reasons are {', '.join(REASONS)}.")
        if not 1 <= limit <= _MOST:
            raise InvalidInput(f"`limit` must be from 1 to {_MOST}.")
        if before is not None:
            ids.kind_of(before)
        asked = Asked(reason, reviewed, limit, before)
        return await self.house.database.read(self._space(space), lambda tx: flagging.page(tx, asked))

    async def flag_counts(self, *, space: str | None = None) -> dict[str, int]:
        """How many are still to be looked at, by reason."""
        return await self.house.database.read(self._space(space), flagging.counts)

    async def review(self, id: str, *, by: str, decision: str = "keep", space: str | None = None) -> int:
        """Someone has looked at a flagged memory and keeps it as it is (`keep`), or it is to be looked at again (`reopen`). Says for how
        many reasons it was flagged. To change it or take it away: `edit`, `delete`."""
        if decision not in DECISIONS:
            raise InvalidInput(f"Unknown decision {decision!r}. Decisions are {', '.join(DECISIONS)}.")
        who, now = check.identifier("person", by), self._clock()
        return await self.house.database.write(
            self._space(space), lambda tx: flagging.review(tx, id, decision, who, now)
        )
