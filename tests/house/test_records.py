"""`base.records.dataclass` behaves as the standard one."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any, Generic, TypeVar

import pytest

from erstwhile.base import records

T = TypeVar("T")


@records.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list)
    secret: str = field(default="s", repr=False, compare=False)


@records.dataclass(frozen=True, slots=True)
class Point3(Point):
    z: int = field(default=3, kw_only=True)
    size: int = field(default=7, init=False)

    @property
    def total(self) -> int:
        return self.x + self.y + self.z


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list)
    secret: str = field(default="s", repr=False, compare=False)


@records.dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    value: T

    def __repr__(self) -> str:
        return "a box"


@records.dataclass(frozen=True, slots=True)
class Checked:
    x: int

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("negative")


@records.dataclass(slots=True)
class Counter:
    name: str
    count: int = 0
    seen: list[str] = field(default_factory=list)


@dataclasses.dataclass(slots=True)
class StandardCounter:
    name: str
    count: int = 0
    seen: list[str] = field(default_factory=list)


CALLS: list[Callable[[Any], Any]] = [
    lambda kind: repr(kind(1)).partition("(")[2],
    lambda kind: kind(1) == kind(1, 2, [], "other"),
    lambda kind: kind(1) == kind(2),
    lambda kind: kind(1) == "something else",
    lambda kind: kind(1).tags is kind(1).tags,
    lambda kind: dataclasses.asdict(kind(1, tags=["a"])),
    lambda kind: dataclasses.astuple(dataclasses.replace(kind(1), y=5)),
    lambda kind: [each.name for each in dataclasses.fields(kind)],
    lambda kind: kind.__match_args__,
    lambda kind: kind(),
    lambda kind: kind(1, 2, [], "s", 5),
    lambda kind: kind(1, unknown=2),
    lambda kind: setattr(kind(1), "x", 2),
    lambda kind: delattr(kind(1), "x"),
    lambda kind: hash(kind(1)),
    lambda kind: hash(kind(1, tags=())) == hash(kind(1, tags=())),
]


@pytest.mark.parametrize("call", CALLS)
def test_it_does_as_the_standard_one(call: Callable[[Any], Any]) -> None:
    assert _outcome(call, Point) == _outcome(call, Standard)


@pytest.mark.parametrize("call", CALLS)
def test_compiled_code_does_as_the_first_objects(call: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_FEW", 0)

    @records.dataclass(frozen=True, slots=True)
    class Compiled:
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list)
        secret: str = field(default="s", repr=False, compare=False)

    assert _outcome(call, Compiled) == _outcome(call, Standard)
    for number in range(20):
        assert Point3(number, z=5).total == number + 7, "the first are made without compiled code"


def _outcome(call: Callable[[Any], Any], kind: Any) -> Any:
    try:
        return call(kind)
    except (TypeError, AttributeError) as error:
        return type(error), str(error).replace(kind.__qualname__, "")


def test_what_is_inherited_comes_first() -> None:
    made = Point3(1, z=4)
    assert (made.x, made.y, made.z, made.size, made.total) == (1, 2, 4, 7, 7)
    assert made != Point(1)
    assert repr(made) == "Point3(x=1, y=2, tags=[], z=4, size=7)"
    with pytest.raises(TypeError):
        Point3(1, 2, [], "s", 4)  # type: ignore[misc]


def test_it_is_copied_and_pickled() -> None:
    made = Point3(1, tags=["a"])
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == copy.copy(made) == made
    assert not hasattr(made, "__dict__")


def test_nothing_can_be_added() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="unknown"):  # the standard one fails with a TypeError
        Point(1).unknown = 2  # type: ignore[attr-defined]


def test_methods_of_the_class_stay() -> None:
    assert repr(Box[int](1)) == "a box"
    assert Box("a") == Box("a")
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)
    assert Checked(1).x == 1


def _changed(kind: Any) -> Any:
    made = kind("a")
    made.count += 2
    made.seen.append("b")
    return made


CHANGES: list[Callable[[Any], Any]] = [
    lambda kind: repr(_changed(kind)).partition("(")[2],
    lambda kind: _changed(kind) == kind("a", 2, ["b"]),
    lambda kind: _changed(kind) == kind("a"),
    lambda kind: pickle.loads(pickle.dumps(_changed(kind))) == copy.deepcopy(_changed(kind)) == _changed(kind),
    lambda kind: hash(kind("a")),
    lambda kind: setattr(kind("a"), "unknown", 1),
    lambda kind: dataclasses.asdict(dataclasses.replace(_changed(kind), name="c")),
]


@pytest.mark.parametrize("call", CHANGES)
def test_one_that_can_change_does_as_the_standard_one(call: Callable[[Any], Any]) -> None:
    assert _outcome(call, Counter) == _outcome(call, StandardCounter)
