"""Every pattern is linear: twice the text costs twice the time, whatever the text repeats.

The texts that may be slow are derived from each pattern: for every part that repeats without a limit, what
leads to it and then a long run of what it takes. A new pattern is covered without a line here.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import erstwhile

SMALL, LARGE = 2000, 8000
LIMIT = 6.5  # times the cost for four times the text; a quadratic pattern has 16
FLOOR = 0.003  # seconds of CPU: what costs less is not compared
STOPPED = 1.5  # seconds after which a pattern is stopped; it is far from linear by then
# Not given text of people, or no part of the product.
OWN_FILES = ("testing", "benchmarks", "demo", "storage.queries", "writers.prompt", "api.verb", "cli")
# Patterns of single languages. They are given a part of limited length; test_long_runs.py feeds them.
LIMITED = "language."

REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
TRIED = " \n0aA_-.,:'\"<>[(*|@`漢😀\u3000"
CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_NOT_DIGIT: lambda char: not char.isdigit(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    codes.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    codes.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}


# The patterns


def modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(erstwhile.__path__, "erstwhile."):
        name = found.name.removeprefix("erstwhile.")
        if not name.startswith((*OWN_FILES, LIMITED)) and not name.endswith("__main__"):
            yield importlib.import_module(found.name)


def patterns() -> dict[tuple[str, int], str]:
    """Every pattern of the package, with the module that has it."""
    found: dict[tuple[str, int], str] = {}
    for module in modules():
        held = [*_in_values(vars(module).values()), *_in_functions(module), *_in_source(module)]
        for pattern in held:
            if isinstance(pattern.pattern, str):
                found.setdefault((pattern.pattern, pattern.flags), module.__name__)
    return found


def _in_values(values: Iterable[Any]) -> Iterator[re.Pattern[str]]:
    for value in values:
        if hasattr(value, "fullmatch") and hasattr(value, "groupindex"):  # also one that is compiled later
            yield value
        elif isinstance(value, Mapping):
            yield from _in_values(value.values())
        elif isinstance(value, tuple | list):
            yield from _in_values(value)


def _in_functions(module: Any) -> Iterator[re.Pattern[str]]:
    """What cached functions without parameters return: patterns made of those of all languages."""
    for value in vars(module).values():
        wrapped = getattr(value, "__wrapped__", None)
        cached = wrapped is not None and hasattr(value, "cache_info") and wrapped.__module__ == module.__name__
        if cached and not inspect.signature(wrapped).parameters:
            yield from _in_values([value()])


def _in_source(module: Any) -> Iterator[re.Pattern[str]]:
    """Patterns written where they are used: `re.sub(r"\\s+", …)`."""
    for call in ast.walk(ast.parse(Path(str(module.__file__)).read_text())):
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=[ast.Constant(value=str(text)), *_]
            ):
                if name != "escape":
                    yield re.compile(text, _flags(call))


def _flags(call: ast.Call) -> int:
    given = [each.value for each in call.keywords if each.arg == "flags"] or call.args[1:]
    shown = " ".join(ast.unparse(each) for each in given)
    return int(
        re.IGNORECASE * ("IGNORECASE" in shown)
        | re.MULTILINE * ("MULTILINE" in shown)
        | re.DOTALL * ("DOTALL" in shown)
    )


# What may be slow for a pattern


def _members(op: Any, value: Any) -> list[str] | None:
    """Characters that a part takes; None if it is not about one character."""
    if op is codes.LITERAL:
        return [chr(value)]
    if op is codes.NOT_LITERAL:
        return [char for char in TRIED if ord(char) != value]
    if op is codes.ANY:
        return list(TRIED.replace("\n", ""))
    if op is codes.IN:
        own = [chr(each) for kind, each in value if kind is codes.LITERAL][:3]
        own += [chr(each[0]) for kind, each in value if kind is codes.RANGE][:3]
        return list(dict.fromkeys(char for char in [*TRIED, *own] if _takes(value, char)))
    return None


def _takes(items: Any, char: str) -> bool:
    negated = found = False
    for op, value in items:
        negated |= op is codes.NEGATE
        found |= (
            (op is codes.LITERAL and ord(char) == value)
            or (op is codes.RANGE and value[0] <= ord(char) <= value[1])
            or (op is codes.CATEGORY and CATEGORIES[value](char))
        )
    return found != negated


def _sample(nodes: Any) -> str:
    """The shortest text of a kind that a part takes."""
    made = ""
    for op, value in nodes:
        members = _members(op, value)
        if members is not None:
            made += "a" if "a" in members else "".join(members[:1])
        elif op is codes.BRANCH:
            made += _sample(value[1][0])
        elif op is codes.SUBPATTERN:
            made += _sample(value[3])
        elif op is codes.ATOMIC_GROUP:
            made += _sample(value)
        elif op in REPEATS:
            made += _sample(value[2]) * value[0]
    return made


def _runs(nodes: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """For each part that repeats: what comes before it, and something that it takes."""
    for op, value in nodes:
        if op in REPEATS:
            inner = list(value[2])
            if value[1] >= LARGE // 16:
                single = _members(*inner[0]) if len(inner) == 1 else None
                yield from ((before, each) for each in ([_sample(inner)] if single is None else single) if each)
            yield from _runs(inner, before)
        elif op is codes.BRANCH:
            for each in value[1]:
                yield from _runs(each, before)
        elif op in (codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT):
            yield from _runs(value[-1], before)
        elif op is codes.ATOMIC_GROUP:
            yield from _runs(value, before)
        before += _sample([(op, value)])


def texts(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Pairs of a small and a large text."""
    made: dict[str, str] = {}
    for before, run in _runs(_parser.parse(pattern.pattern, pattern.flags)):
        for unit, first, last in ((run, before, ""), (run, before, "\x01"), (before + run, "", "\x01")):
            small, large = (first + unit * (size // len(unit)) + last for size in (SMALL, LARGE))
            made[large] = small
    return [(small, large) for large, small in made.items()]


class Stopped(Exception):
    """It took too long."""


def cost(pattern: re.Pattern[str], text: str) -> float:
    start = time.thread_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, STOPPED)
    try:
        for _ in pattern.finditer(text):
            pass
    except Stopped:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - start


def is_linear(pattern: re.Pattern[str], small: str, large: str) -> bool:
    """Whether one of three tries is: another process may have emptied the caches of the processor."""
    for _ in range(3):
        spent = cost(pattern, large)
        if spent < FLOOR or spent < LIMIT * cost(pattern, small):
            return True
    return False


@pytest.fixture(autouse=True)
def stopping() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Stopped

    kept = signal.signal(signal.SIGVTALRM, stop)
    yield
    signal.signal(signal.SIGVTALRM, kept)


@pytest.mark.long
def test_a_quadratic_pattern_is_noticed() -> None:
    for written in (r"^(?=\s*===)", r"\S+://\S+", r"<a[^>]*>", r"[ \n]*x\Z", r"(?:\d[ -]?)+z", r"\bkey\s*\s*="):
        pattern = re.compile(written, re.MULTILINE)
        assert not all(is_linear(pattern, small, large) for small, large in texts(pattern)), written


def test_every_pattern_is_linear() -> None:
    known = patterns()
    assert len(known) > 200
    slow = [
        f"{module}: {written[:200]!r} on {large[:20]!r} … {large[-3:]!r}"
        for (written, flags), module in known.items()
        for small, large in texts(re.compile(written, flags))
        if not is_linear(re.compile(written, flags), small, large)
    ]
    assert not slow, "\n".join(slow)
