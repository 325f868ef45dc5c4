"""Where each kind of memory is registered, so that its module is imported when the kind is first needed."""

from __future__ import annotations

from importlib import import_module

_homes: dict[str, str] = {}


def declare(module: str, *kinds: str) -> None:
    _homes.update(dict.fromkeys(kinds, module))


def load(kind: str) -> None:
    """Import the module that registers a kind."""
    if kind in _homes:
        import_module(_homes[kind])


def load_all() -> None:
    for module in _homes.values():
        import_module(module)
