"""Write `blocking.pyi`, the types of the blocking API for editors: `python -m
erstwhile.api.stub`.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from erstwhile.api import verb
from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import RESOURCES
from erstwhile.base.settings import Settings
from erstwhile.events.feed import Watch
from erstwhile.events.model import Event

FILE = Path(__file__).with_name("blocking.pyi")
_WIDEST = 100
_HEAD = '"""The types of the blocking API, written by `python -m erstwhile.api.stub`."""\n\n'
_ENTERING = """    def __init__(self, target: Memory) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *how: object) -> None: ...
"""
_TAIL = """
def open_sync(database: str | Path | None = None, *, clock: Clock = ..., **settings: Any) -> SyncMemory: ...
"""


class Stub:
    """Classes as text, and the imports they need."""

    def __init__(self) -> None:
        self.imports = {"Path": "pathlib", "Any": "typing", "Self": "typing"}
        self.imports["Clock"] = "erstwhile.base.clock"
        for kind in (Memory, Settings):
            self._name(kind)

    def of_class(self, name: str, kind: type, fields: str = "") -> str:
        functions = {each: value for each, value in vars(kind).items() if inspect.isfunction(value)}
        methods = [self._method(each, value) for each, value in functions.items() if each[0] != "_"]
        return f"class {name}:\n{fields}" + "".join(methods)

    def _method(self, name: str, function: Any) -> str:
        function = inspect.unwrap(function)
        hints = verb.types_of(function, function.__annotations__, rules=False)
        signature = inspect.signature(function)
        written = [self._parameter(each, hints) for each in signature.parameters.values()]
        kinds = [each.kind for each in signature.parameters.values()]
        if inspect.Parameter.KEYWORD_ONLY in kinds:
            written.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
        returns = self._text(_blocking(hints["return"]))
        line = f"    def {name}({', '.join(written)}) -> {returns}: ...\n"
        if len(line) <= _WIDEST:
            return line
        lines = "".join(f"        {each},\n" for each in written)
        return f"    def {name}(\n{lines}    ) -> {returns}: ...\n"

    def _parameter(self, given: inspect.Parameter, hints: dict[str, Any]) -> str:
        if given.name not in hints:
            return given.name
        default = "" if given.default is inspect.Parameter.empty else f" = {_shown(given.default)}"
        return f"{given.name}: {self._text(hints[given.name])}{default}"

    def _text(self, hint: Any) -> str:
        fixed: dict[Any, str] = {NoneType: "None", None: "None", Ellipsis: "...", Any: "Any"}
        fixed[Channel] = "SyncChannel"
        if not isinstance(hint, list) and hint in fixed:
            return fixed[hint]
        if isinstance(hint, str):
            return hint
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            return " | ".join(map(self._text, inner))
        if isinstance(hint, list):
            return f"[{', '.join(map(self._text, hint))}]"
        of = f"[{', '.join(map(self._text, inner))}]" if inner else ""
        return self._name(origin or hint) + of

    def _name(self, kind: Any) -> str:
        name = kind.__name__
        if kind.__module__ != "builtins":
            module = kind.__module__.partition("._")[0]  # Python 3.13 has pathlib._local
            module = "collections.abc" if kind in (Callable, Iterator) else module
            known = self.imports.setdefault(name, module)
            assert known == module, (
                f"{name} is in {module} and in {known}: a public name exists once"
            )
        return str(name)


def _blocking(hint: Any) -> Any:
    """Turn async iterators into iterators."""
    if hint is Watch:
        return Iterator[Event]
    return Iterator[get_args(hint)] if get_origin(hint) is AsyncIterator else hint  # type: ignore[misc]


def _shown(default: Any) -> str:
    return repr(default) if isinstance(default, str | int | float | bool | tuple | None) else "..."


def text() -> str:
    """Return the whole stub."""
    stub = Stub()
    nouns = {noun: f"Sync{kind.__name__}" for noun, kind in sorted(RESOURCES.items())}
    classes = [stub.of_class(name, RESOURCES[noun]) for noun, name in nouns.items()]
    classes.append(stub.of_class("SyncChannel", Channel, "    channel: str\n    space: str\n"))
    attributes = {"settings": "Settings", **nouns}
    fields = "".join(f"    {name}: {kind}\n" for name, kind in attributes.items())
    classes.append(stub.of_class("SyncMemory", Memory, fields + _ENTERING))
    imports = ""
    for module in sorted(set(stub.imports.values())):
        names = sorted(name for name, at in stub.imports.items() if at == module)
        imports += f"from {module} import {', '.join(names)}\n"
    return _HEAD + imports + "\n" + "\n".join(classes) + _TAIL


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
