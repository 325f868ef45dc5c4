"""`dataclass` of the standard library, whose parts cost nothing until they are used.

The standard one reads the fields of every class and compiles six methods for it when its module is
imported; for the 250 of this package that was half of the time of `open`. Here a class with slots
shares all methods but `__init__`, which is compiled once some objects were made, and its fields are
read when something asks for them. Everything else is left to the standard one, and for type checkers
this is the standard one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from erstwhile.base.clock import micros, moment

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        if cls is None:
            return lambda given: dataclass(given, **options)
        if not options.get("slots") or not options.keys() <= {"frozen", "slots", "kw_only"}:
            return dataclasses.dataclass(cls, **options)
        methods = _METHODS | _FROZEN if options.get("frozen") else _METHODS
        return _record(cls, methods, kw_only=options.get("kw_only", False))


def _record(cls: type, methods: Mapping[str, Any], *, kw_only: bool) -> type:
    own, names = vars(cls), cls.__annotations__
    hidden = {*names, "__dict__", "__weakref__"}
    kept = {name: value for name, value in own.items() if name not in hidden}
    shared = {name: method for name, method in methods.items() if own.get(name) is None}
    slots = {"__slots__": tuple(names), "__qualname__": cls.__qualname__}
    made = type(cls)(cls.__name__, cls.__bases__, kept | shared | slots | _LATE)
    _plain[made] = cls, kw_only
    if "__init__" not in own:
        made.__init__ = _first_init(made)  # type: ignore[misc]
    return made


_FEW: Final = 8  # objects: making them without compiled code takes less than compiling it
_plain: dict[type, tuple[type, bool]] = {}  # each class as it was written
_reading = RLock()  # the standard one changes the class that it reads


class _Late:
    """What the standard one knows about a class, found out when it is first asked for."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, _: object, owner: type) -> Any:
        made = next(each for each in owner.__mro__ if self._name in vars(each))
        with _reading:
            if vars(made)[self._name] is self:
                cls, kw_only = _plain[made]
                cls.__doc__ = cls.__doc__ or cls.__name__  # else its signature is inspected
                options = {"init": False, "repr": False, "eq": False, "kw_only": kw_only}
                read: Any = dataclasses.dataclass(**options)(cls)
                for name in _LATE:
                    setattr(made, name, getattr(read, name))
        return getattr(made, self._name)


_OWN: Final = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
_LATE: Final = {name: _Late() for name in _OWN}


class _Field(NamedTuple):
    name: str
    init: bool
    default: Any
    default_factory: Any
    kw_only: bool


def _fields(made: Any) -> list[_Field]:
    """Return what `__init__` must know of the fields. As long as nothing asked for more, they are
    read from the class as it was written: the standard reader takes ten times as long."""
    found: dict[str, _Field] = {}
    with _reading:
        known = [vars(each).get("__dataclass_fields__") for each in made.__mro__]
        if not {id(each) for each in known} <= {id(None), id(_LATE["__dataclass_fields__"])}:
            return [_field(each.name, each, False) for each in dataclasses.fields(made)]
        for cls, kw_only in (_plain[each] for each in reversed(made.__mro__) if each in _plain):
            for name in vars(cls).get("__annotations__", ()):
                written = vars(cls).get(name, dataclasses.MISSING)
                if not isinstance(written, dataclasses.Field):
                    written = dataclasses.field(default=written)
                found[name] = _field(name, written, kw_only)
    return list(found.values())


def _field(name: str, written: Any, kw_only: bool) -> _Field:
    if written.kw_only is not dataclasses.MISSING:
        kw_only = written.kw_only
    return _Field(name, written.init, written.default, written.default_factory, kw_only)


def _first_init(made: Any) -> Callable[..., None]:
    fields: list[_Field] = []
    left = _FEW

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        nonlocal left
        left -= 1
        if left > 0:
            fields[:] = fields or _fields(made)
            if (values := _values(fields, args, kwargs)) is not None:
                for name, value in values:
                    object.__setattr__(self, name, value)
                if hasattr(made, "__post_init__"):
                    self.__post_init__()
                return
        made.__init__ = _compiled(made)
        made.__init__(self, *args, **kwargs)

    return __init__


def _values(
    fields: list[_Field], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[tuple[str, Any]] | None:
    """Return the values of the fields; None if the arguments don't fit, which compiled code refuses
    as Python does."""
    positional = [each.name for each in fields if each.init and not each.kw_only]
    given = dict(zip(positional, args, strict=False))
    if len(args) > len(positional) or not given.keys().isdisjoint(kwargs):
        return None
    given |= kwargs
    values: list[tuple[str, Any]] = []
    for name, init, default, make, _ in fields:
        if init and name in given:
            values.append((name, given.pop(name)))
        elif make is not dataclasses.MISSING:
            values.append((name, make()))
        elif default is not dataclasses.MISSING:
            values.append((name, default))
        elif init:
            return None
    return None if given else values


def _compiled(made: Any) -> Callable[..., None]:
    """Compile what sets the fields of a class, as the standard one does."""
    known: dict[str, Any] = {"_none": dataclasses.MISSING}
    parameters, keywords, body = ["self"], list[str](), list[str]()
    for field in _fields(made):
        name, value, default = field.name, field.name, ""
        if field.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"], default = field.default_factory, "=_none"
            value = f"_make_{name}()"
            if field.init:
                value += f" if {name} is _none else {name}"
        elif field.default is not dataclasses.MISSING:
            known[f"_default_{name}"], default = field.default, f"=_default_{name}"
            value = name if field.init else f"_default_{name}"
        elif not field.init:
            continue
        # Of its slot: half the cost of `object.__setattr__`.
        known[f"_set_{name}"] = getattr(made, name).__set__
        body.append(f"    _set_{name}(self, {value})")
        if field.init:
            (keywords if field.kw_only else parameters).append(name + default)
    if keywords:
        parameters += ["*", *keywords]
    if hasattr(made, "__post_init__"):
        body.append("    self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(body or ["    pass"]), known)
    known["__init__"].__qualname__ = f"{made.__qualname__}.__init__"
    return known["__init__"]  # type: ignore[no-any-return]


@cache
def _reader(cls: Any, *, hashed: bool) -> Callable[[Any], Any]:
    """Return what reads the fields by which objects of a class are compared, or those of their
    hash."""
    fields = dataclasses.fields(cls)
    chosen = [each.hash if hashed and each.hash is not None else each.compare for each in fields]
    names = [each.name for each, wanted in zip(fields, chosen, strict=True) if wanted]
    return attrgetter(*names) if names else lambda _: ()


def _equal(self: Any, other: object) -> Any:
    read = _reader(self.__class__, hashed=False)
    if other.__class__ is not self.__class__:
        return NotImplemented
    return bool(read(self) == read(other))


def _hash(self: Any) -> int:
    return hash(_reader(self.__class__, hashed=True)(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (field.name for field in dataclasses.fields(self) if field.repr)
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{self.__class__.__qualname__}({values})"


def _refuse(_self: object, name: str, *value: object) -> None:
    what = "assign to" if value else "delete"
    raise dataclasses.FrozenInstanceError(f"cannot {what} field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_METHODS: dict[str, Any] = {"__eq__": _equal, "__hash__": None, "__repr__": _repr}
_FROZEN: dict[str, Any] = {"__hash__": _hash, "__setattr__": _refuse, "__delattr__": _refuse}
_FROZEN |= {"__getstate__": _get_state, "__setstate__": _set_state}


def copied(cls: type[T], source: object, /, **given: Any) -> T:
    """Make an object from the attributes of another that have the names of its fields. What is
    `given` is not copied."""
    for name in _shared(cls, type(source)):  # type: ignore[arg-type]
        if name not in given:
            given[name] = getattr(source, name)
    return cls(**given)


@cache
def _shared(cls: Any, source: Any) -> list[str]:
    """Return the fields of a class that are attributes of another."""
    theirs = {
        *getattr(source, "__dataclass_fields__", ()),
        *getattr(source, "model_fields", ()),  # of pydantic
    }
    return [each for each in _columns(cls)[0] if each in theirs or hasattr(source, each)]


def from_row(cls: type[T], row: Mapping[str, Any], /, **given: Any) -> T:
    """Make an object from the columns of a row that have the names of its fields. Times, days and
    flags are stored as numbers and text. What is `given` is not read."""
    names, stored = _columns(cls)  # type: ignore[arg-type]
    found = {name: row[name] for name in names if name in row}
    for name, (read, _) in stored.items():
        if (value := found.get(name)) is not None and name not in given:
            found[name] = read(value)
    return cls(**found | given)


def to_row(record: object, /, **given: Any) -> dict[str, Any]:
    """Return the columns of an object, as `from_row` reads them."""
    names, stored = _columns(type(record))  # type: ignore[arg-type]
    found = {name: getattr(record, name) for name in names if name not in given}
    for name, (_, write) in stored.items():
        if found.get(name) is not None:
            found[name] = write(found[name])
    return found | given


# How a type is read from its column, and written to it.
_Stored = tuple[Callable[[Any], Any], Callable[[Any], Any]]
_STORED: dict[str, _Stored] = {
    "datetime": (moment, micros),
    "date": (date.fromisoformat, date.isoformat),
    "bool": (bool, int),
}


@cache
def _columns(cls: Any) -> tuple[list[str], dict[str, _Stored]]:
    """Return the names of the fields, and those that are stored as something else."""
    kinds = {each.name: str(each.type).removesuffix(" | None") for each in dataclasses.fields(cls)}
    return list(kinds), {name: _STORED[kind] for name, kind in kinds.items() if kind in _STORED}
