"""Patterns of layers and writers hold no words of a language: those are in `language/<code>/`.

Words of other scripts are refused anywhere in their code by `tests/text/test_languages.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

SOURCE = Path(__file__).parents[2] / "src" / "erstwhile"
FUNCTIONS = {"compile", "search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn"}
# Words that no language of people would change, by file.
KNOWN = {
    "layers/remembered/lines.py": "said",  # our own form of a quotation
    "layers/remembered/reading.py": "ve ll My",  # how a model answers in the first person
    "layers/standing/reading.py": "http www hey hi ok",  # addresses, and greetings of several languages
    "layers/threads.py": "favo rite",  # the name of a slot
    "writers/answers.py": "json",  # a fence
    "writers/calls.py": "context length size window maximum prompt request input is too long many tokens exceed the "
    "available model max new must be",  # errors of providers
    "writers/checks.py": "END EXISTING SUMMARY NEW TURNS conversation message think summary INST Instruction Response",
    "writers/extractive/markdown.py": "http",
}


def patterns(code: ast.AST) -> Iterator[str]:
    for each in ast.walk(code):
        if isinstance(each, ast.Call) and each.args and _makes_a_pattern(each.func):
            yield _text(each.args[0])


def _makes_a_pattern(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id == "late_pattern"
    return isinstance(function, ast.Attribute) and function.attr in FUNCTIONS and ast.unparse(function.value) == "re"


def _text(given: ast.expr) -> str:
    """The pattern as far as it is written here; what is put into it becomes a digit."""
    match given:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(_text, parts))
        case ast.BinOp(left=left, right=right):
            return _text(left) + _text(right)
    return "0"


def words(pattern: Iterable[Any]) -> Iterator[str]:
    """Yield each run of letters that a pattern demands."""
    run = ""
    for kind, given in pattern:
        if kind is codes.LITERAL and chr(given).isalpha():
            run += chr(given)
            continue
        yield run
        run = ""
        if kind is codes.BRANCH:
            for branch in given[1]:
                yield from words(branch)
        elif kind is codes.SUBPATTERN:
            yield from words(given[3])
        elif kind in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield from words(given[2])
        elif kind in (codes.ASSERT, codes.ASSERT_NOT):
            yield from words(given[1])
        elif kind is codes.ATOMIC_GROUP:
            yield from words(given)
    yield run


def found(package: str) -> Iterator[tuple[str, str]]:
    for file in sorted((SOURCE / package).rglob("*.py")):
        for pattern in patterns(ast.parse(file.read_text("utf-8"))):
            for word in words(_parser.parse(pattern)):
                if len(word) > 1:
                    yield file.relative_to(SOURCE).as_posix(), word


def test_patterns_hold_no_words_of_a_language() -> None:
    there = [*found("layers"), *found("writers")]
    wrong = [f"{file}: {word}" for file, word in there if word not in KNOWN.get(file, "").split()]
    assert not wrong, "Put them into language/<code>/."
    used = {(file, word) for file, word in there}
    unused = [
        f"{file}: {word}" for file, listed in KNOWN.items() for word in listed.split() if (file, word) not in used
    ]
    assert not unused


def test_words_of_a_pattern_are_seen() -> None:
    code = ast.parse(r're.compile(rf"\b(?:it|they){x}\b"); late_pattern(r"(?!mrs?)\w+"); re.escape("word")')
    assert [word for each in patterns(code) for word in words(_parser.parse(each)) if word] == ["it", "they", "mr", "s"]
