"""Erase prompts of a person."""

from __future__ import annotations

from typing import Final

from erstwhile.configuration.prompts import queries
from erstwhile.storage import Transaction
from erstwhile.tables.model import Table
from erstwhile.tables.owner import Owner


class ConfigurationOwner(Owner):
    tables = (
        Table("prompts", ("person",), counted=True),
        Table("space_settings", exported="space"),
    )

    async def knows(self, tx: Transaction, person: str) -> bool:
        return await tx.first(queries.prompts_of, person=person) is not None


OWNER: Final = ConfigurationOwner()
