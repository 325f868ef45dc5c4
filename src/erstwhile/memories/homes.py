"""Where each kind of memory is registered, so that its module is imported when the kind is first needed."""

from __future__ import annotations

from importlib import import_module

from erstwhile.base import ids

_homes: dict[str, str] = {}


def declare(module: str, **prefixes: str) -> None:
    """Name the kinds that a module registers, each with the prefix of its ids."""
    for kind, prefix in prefixes.items():
        _homes[kind] = module
        ids.register(prefix, kind)


def load(kind: str) -> None:
    """Import the module that registers a kind."""
    if kind in _homes:
        import_module(_homes[kind])


def load_all() -> None:
    for module in _homes.values():
        import_module(module)
