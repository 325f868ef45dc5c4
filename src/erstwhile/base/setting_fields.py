"""Declare settings and check their values: type, bounds, and what is not permitted.

This does what pydantic did for the settings, without importing it: that took twice as long as
opening a database and storing a message (docs/decisions/0012-start.md).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from math import isfinite
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args, get_origin, get_type_hints

from erstwhile.base.errors import Error

_TRUE = ("true", "1", "yes", "on", "t", "y")
_FALSE = ("false", "0", "no", "off", "f", "n")


class Secret:
    """Text that is not shown."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def get_secret_value(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Secret({'**********' if self._text else ''!r})"


class SettingField(NamedTuple):
    """A declared setting: at least `least`, at most `most`, more than `above`."""

    default: Any
    description: str
    least: float | None = None
    most: float | None = None
    above: float | None = None


def setting(default: Any, description: str, **bounds: float) -> Any:
    """Declare a setting of a group. `Any`, so that it can stand as the default of any type."""
    return SettingField(default, description, **bounds)


class WrongValues(Error):
    """Values that are not permitted: where each is, and what is wrong with it."""

    def __init__(self, found: list[tuple[tuple[str, ...], str]]) -> None:
        super().__init__(str(found))
        self.found = found


class SettingGroup:
    """Values that are declared with `setting`. Frozen."""

    fields: ClassVar[Mapping[str, SettingField]] = {}

    def __init_subclass__(cls) -> None:
        own = vars(cls).items()
        cls.fields = {name: value for name, value in own if isinstance(value, SettingField)}

    def __init__(self, **given: Any) -> None:
        for name, field in self.fields.items():
            default = field.default
            self.__dict__[name] = default.copy() if isinstance(default, list | dict) else default
        self.__dict__.update(given)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values, which are not checked."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, **changes)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Settings can't be changed: {name}. `replace` makes a copy.")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={self.__dict__[name]!r}' for name in self.fields)})"


@cache
def _type(group: Any, name: str) -> Any:
    """Return the type of one setting: that of all of them takes longer than opening a database."""
    written = SimpleNamespace(__annotations__={name: group.__annotations__[name]})
    return get_type_hints(written, vars(sys.modules[group.__module__]))[name]


def checked(group: type[SettingGroup], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in the types of the group. Raises WrongValues."""
    values: dict[str, Any] = {}
    wrong: list[tuple[tuple[str, ...], str]] = []
    for name, value in given.items():
        try:
            kind = _type(group, name)  # type: ignore[arg-type]
            values[name] = _value(kind, value, group.fields[name])
        except KeyError:
            wrong.append(((name,), "Extra inputs are not permitted"))
        except WrongValues as inner:
            wrong += [((name, *where), what) for where, what in inner.found]
        except ValueError as error:
            wrong.append(((name,), str(error)))
    if wrong:
        raise WrongValues(wrong)
    return values


def _value(kind: Any, value: Any, field: SettingField) -> Any:
    if isinstance(kind, type) and issubclass(kind, SettingGroup):
        return value if isinstance(value, kind) else kind(**checked(kind, _mapping(value)))
    inner = get_args(kind)
    if get_origin(kind) is Literal:
        if value not in inner:
            raise ValueError(f"must be one of {', '.join(inner)}")
        return value
    if get_origin(kind) is list:
        return [_plain(inner[0], each) for each in _list(value)]
    if get_origin(kind) is dict:
        return {_plain(str, key): _plain(inner[1], each) for key, each in _mapping(value).items()}
    return _within_bounds(_plain(kind, value), field)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("must be a table of names and values")
    return value


def _plain(kind: type, value: Any) -> Any:
    if kind in (int, float):
        return _number(kind, value)
    if kind is bool:
        written = str(value).lower()
        if isinstance(value, bool | int | str) and written in _TRUE + _FALSE:
            return written in _TRUE
        raise ValueError("must be true or false")
    if kind is Secret and isinstance(value, Secret):
        return value
    if not isinstance(value, str):
        raise ValueError("must be text")
    return kind(value)


def _number(kind: type, value: Any) -> int | float:
    try:
        made: int | float | None = kind(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        made = None
    if made is None or (isinstance(value, float) and made != value and isfinite(value)):
        raise ValueError(f"must be {'a whole number' if kind is int else 'a number'}")
    return made


def _within_bounds(value: Any, field: SettingField) -> Any:
    if field.least is not None and not value >= field.least:
        raise ValueError(f"must be greater than or equal to {field.least}")
    if field.most is not None and not value <= field.most:
        raise ValueError(f"must be less than or equal to {field.most}")
    if field.above is not None and not value > field.above:
        raise ValueError(f"must be greater than {field.above}")
    return value


def _list(value: Any) -> list[Any]:
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return [each.strip() for each in value.split(",") if each.strip()]
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError('write a,b or ["a", "b"]') from None
    if not isinstance(found, list | tuple):
        raise ValueError("must be a list")
    return list(found)
