"""Erase the name of a person from receipts."""

from __future__ import annotations

from typing import Final

from erstwhile.tables.model import Table
from erstwhile.tables.owner import Owner


class ErasureOwner(Owner):
    tables = (
        Table("erasure_marks", exported="space"),
        Table("erasures", by="by", exported="space"),
        Table("tombstones", exported="space"),
        Table("revisions", channel=("channel",), exported="space"),
        Table("erasing", channel=("channel",), listed=True, exported=""),
    )


OWNER: Final = ErasureOwner()
