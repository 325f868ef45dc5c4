"""The registered kinds of memories. The module that registers one is imported when it is first
needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, Literal

from erstwhile.base import ids
from erstwhile.base.records import dataclass
from erstwhile.base.settings import RETAINED

if TYPE_CHECKING:
    from erstwhile.memories.kinds import Kind

Group = Literal["", "summary", "person", "conversation"]
# Groups of kinds that repeat what facts say.
REPEATING: Final[tuple[Group, ...]] = ("person", "conversation")

KINDS: dict[str, Kind] = {}
_entries: dict[str, KindEntry] = {}


@dataclass(frozen=True, slots=True)
class KindEntry:
    """What is known of a kind before its layer is imported. It is apart from `Kind`, because the
    modules of all kinds take 30 to 90 ms to import and few calls need them (decision 12). `prefix`
    of its ids; `home`: the module that registers it; `expires`: retention can delete it after a
    number of days; `group`: whether it sums up messages, or is about one person, or a
    conversation."""

    name: str
    prefix: str
    home: str
    group: Group = ""
    expires: bool = False


def declare(entry: KindEntry) -> None:
    _entries[entry.name] = entry
    ids.register(entry.prefix, entry.name)
    if entry.expires and entry.name not in RETAINED:
        RETAINED.append(entry.name)


def entry(name: str) -> KindEntry | None:
    """Return what was declared of a kind."""
    return _entries.get(name)


def grouped(*groups: Group) -> tuple[str, ...]:
    """Return the kinds of these groups."""
    return tuple(entry.name for entry in _entries.values() if entry.group in groups)


def get(name: str) -> Kind:
    if name not in KINDS and name in _entries:
        import_module(_entries[name].home)
    return KINDS[name]


def load_all() -> dict[str, Kind]:
    for name in _entries:
        get(name)
    return KINDS
