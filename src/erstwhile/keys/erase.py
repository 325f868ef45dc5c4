"""Erase sessions of a person."""

from __future__ import annotations

from typing import Final

from erstwhile.tables.model import Table
from erstwhile.tables.owner import Owner


class KeyOwner(Owner):
    tables = (
        Table("keys", exported=""),
        Table("allowances", exported=""),
        Table("sessions", ("person",), counted=True, exported=""),
    )


OWNER: Final = KeyOwner()
