"""Long runs of what people may repeat, to see that no part of the product costs more than in proportion to their length."""

from __future__ import annotations

from soak.size import SOAK

LARGE = 2**20 if SOAK else 16_384
SMALL = LARGE // 4
LIMIT = 9.0  # times the cost for four times the text; quadratic: 16
FLOOR = 0.02  # seconds of CPU: what costs less counts as this much

UNITS = (
    *("\n", " ", "\t", "\r\n", "\u00a0", "\u3000", "\u200b", "\ufeff", "\u202e", "\x1f", " \n", "\n\n", "\n ", "\n> "),
    *(
        "0",
        "1",
        "12:",
        "1.",
        "1,",
        "1-",
        "1 ",
        "2026-",
        "a",
        "A",
        "é",
        "_",
        "-",
        ".",
        ",",
        ":",
        "!",
        "?",
        "'",
        '"',
        "“",
    ),
    *("(", ")", "[", "]", "{", "}", "<", ">", "<a", "</a", "<@", "<|", "[a](", "![", "](http", "http://", "http://a"),
    *("@a", "a.", "a ", "a, ", "a@b.", "- ", "* ", "\n- ", "**a ", "`", "```", "\n```", "===", "\n===", "#", "&amp;"),
    *("漢", "我", "あ", "한", "나는 ", "ก", "я", "ا", "e\u0301", "\u0301", "😀", "👨\u200d👩", "\U000e0041"),
    *(
        "I ",
        "i'm ",
        "my ",
        "not ",
        "and ",
        "Ab ",
        "remember ",
        "forget ",
        "system:",
        "password is ",
        "in two weeks will ",
        "五月要",
        "sk-",
        "key=",
        "\\",
    ),
)


def run(unit: str, size: int, number: int) -> str:
    """A text of this size that repeats the unit. Each number is another text: some results are kept."""
    return f"a{number} {unit * (size // len(unit))} b"
