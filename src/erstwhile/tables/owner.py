"""What erasure asks of a package that owns tables."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base.records import dataclass
from erstwhile.storage import Transaction
from erstwhile.storage.queries import Query
from erstwhile.tables import rows
from erstwhile.tables.model import Erasing, Table


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts that people wrote, in which a name may occur. `page` returns `id` and `text` of a page
    after `id`; `erase` deletes the texts `ids`. A receipt counts them as `name`."""

    name: str
    page: Query
    erase: Query


class Owner:
    """A package that owns tables."""

    tables: tuple[Table, ...] = ()
    texts: tuple[Texts, ...] = ()

    async def erase(self, tx: Transaction, erasing: Erasing) -> None:
        """Delete what is listed to be erased. The listed messages are deleted last."""

    async def erase_places(self, tx: Transaction, erasing: Erasing) -> None:
        """Delete the person and the channels themselves, once everything of theirs is deleted."""
        erasing.counts += await rows.erase(tx, self.tables, erasing)

    async def erase_questions(self, tx: Transaction, texts: Sequence[str], since: int) -> None:
        """Delete recorded questions with the words of messages that are edited or deleted."""

    async def knows(self, tx: Transaction, person: str) -> bool:
        """Return whether something of a person is left whose messages are erased."""
        del tx, person
        return False
