"""What a row of an export must be before it is put in: an export may come from anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from erstwhile.archive.model import ArchiveTable, Json
from erstwhile.base import clock, ids
from erstwhile.base.errors import InvalidInput
from erstwhile.configuration import prompts
from erstwhile.configuration import space as choices
from erstwhile.log import check
from erstwhile.log.model import NewMessage

_LONGEST_KEY: Final = 1024  # bytes of a text that rows are found by: past it, Postgres has no place for it in an index
_JSON: Final = ("meta", "kept", "detail", "counts", "payload", "data")
_HEX: Final = re.compile(r"[0-9a-f]{64}")
# An address that the memory would send what people say to is nothing to take from a file.
NOT_TAKEN: Final = ("api_key", "base_url")


class Admission:
    """`largest`: of a message, in bytes. `kinds`: of jobs, those that are done here. `left` is what of the settings was not taken."""

    def __init__(self, largest: int, kinds: frozenset[str]) -> None:
        self._largest = largest
        self._kinds = kinds
        self.left: list[str] = []
        self._of: Mapping[str, Callable[[Json], Json | None]] = {
            "messages": self._message,
            "space_settings": self._setting,
            "prompts": _prompt,
            "erasure_marks": _mark,
            "tombstones": _tombstone,
            "jobs": self._job,
        }

    def row(self, table: ArchiveTable, row: Json) -> Json | None:
        """As it may be stored; None where it is not taken. Raises with what is wrong."""
        for name, value in row.items():
            if value is None:
                continue
            if name == "at" or name.endswith("_at") or name in ("valid_from", "valid_to"):
                _moment(name, value)
            elif name in _JSON and value:
                _object(name, value)
            elif name in table.order and isinstance(value, str) and len(value.encode()) > _LONGEST_KEY:
                raise InvalidInput(f"its {name} is too long")
            elif name == "id" and table.name not in ("requests", "erasures"):
                ids.kind_of(value)
        checked = self._of.get(table.name)
        return row if checked is None else checked(row)

    def _message(self, row: Json) -> Json:
        told: dict[str, Any] = {name: row.get(name) for name in ("role", "text", "person", "name", "key", "model")}
        check.message(NewMessage(**told, meta=json.loads(row["meta"])), largest=self._largest)
        check.identifier("channel", row["channel"])
        if ids.kind_of(row["id"]) != "message":
            raise InvalidInput("its id is not a message's")
        return row

    def _setting(self, row: Json) -> Json | None:
        if row["name"] in NOT_TAKEN or row["secret"] != 0:
            self.left.append(row["name"])
            return None
        choices.known(row["name"])
        return {**row, "value": choices.checked(row["name"], row["value"])}

    def _job(self, row: Json) -> Json | None:
        return row if row["kind"] in self._kinds else None


def _prompt(row: Json) -> Json:
    prompts.known(row["name"])
    return {**row, "instructions": prompts.checked(row["instructions"])}


def _mark(row: Json) -> Json:
    if row["number"] < 0 or not _HEX.fullmatch(row["secret"]):
        raise InvalidInput("it is no mark of an erasure")
    return row


def _tombstone(row: Json) -> Json:
    if not _HEX.fullmatch(row["hash"]):
        raise InvalidInput("it is no tombstone")
    return row


def _moment(name: str, value: Any) -> None:
    try:
        clock.moment(value)
    except (OverflowError, TypeError):
        raise InvalidInput(f"its {name} is no time") from None


def _object(name: str, value: str) -> None:
    try:
        told = json.loads(value)
    except (ValueError, RecursionError):
        raise InvalidInput(f"its {name} is no JSON") from None
    if not isinstance(told, dict | list):
        raise InvalidInput(f"its {name} is no JSON object")
