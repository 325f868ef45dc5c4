"""The registered kinds of memories. The module that registers one is imported when it is first
needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from erstwhile.base import ids

if TYPE_CHECKING:
    from erstwhile.memories.kinds import Kind

KINDS: dict[str, Kind] = {}
_homes: dict[str, str] = {}


def declare(module: str, **prefixes: str) -> None:
    """Name the kinds that a module registers, each with the prefix of its ids."""
    for kind, prefix in prefixes.items():
        _homes[kind] = module
        ids.register(prefix, kind)


def get(name: str) -> Kind:
    if name not in KINDS and name in _homes:
        import_module(_homes[name])
    return KINDS[name]


def load_all() -> dict[str, Kind]:
    for module in _homes.values():
        import_module(module)
    return KINDS
