"""What a chat protocol has to tell: what was said in a request, where memory goes in it, and what an answer says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from erstwhile.http.chat.json_body import JsonBody

# What is kept of one answer: characters that are said, as many of the calls of tools, and calls.
_MOST_HEARD: Final = 4_000_000
_MOST_TOOLS: Final = 1000
_LONGEST_NAME: Final = 200
_MOST_COUNTED: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Said:
    """`question` is the last thing the user said; it is `fresh` when nothing came after it, such as a tool's result. With `history`, the
    client sent what was said before. `texts` is everything in it, so that nothing of it is told again."""

    question: str = ""
    name: str | None = None
    fresh: bool = False
    history: bool = False
    texts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Recollection:
    """`head` is the same from turn to turn for a while, `found` is for this question, `turns` are the latest of the log."""

    head: str = ""
    found: str = ""
    turns: Sequence[dict[str, str]] = ()


@dataclass(slots=True)
class Answer:
    """What is heard of an answer, as it comes."""

    said: list[str] = field(default_factory=list)
    tools: dict[object, dict[str, Any]] = field(default_factory=dict)
    model: str = ""
    id: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    finish: str = ""
    failure: str = ""
    _heard: int = 0
    _argued: int = 0

    @property
    def text(self) -> str:
        return "".join(self.said)

    def say(self, text: object) -> None:
        if isinstance(text, str) and text and self._heard < _MOST_HEARD:
            self.said.append(text[: _MOST_HEARD - self._heard])
            self._heard += len(self.said[-1])

    def tool(self, key: object) -> dict[str, Any]:
        new = {"id": "", "name": "", "arguments": ""}
        return self.tools.setdefault(key, new) if len(self.tools) < _MOST_TOOLS else self.tools.get(key, new)

    def argue(self, tool: dict[str, Any], arguments: object) -> None:
        """More of what a tool is called with."""
        if isinstance(arguments, str) and self._argued < _MOST_HEARD:
            tool["arguments"] += arguments[: _MOST_HEARD - self._argued]
            self._argued += len(arguments)


class ChatProtocol(Protocol):
    """`path` is where the provider listens for it; `list` is the member that holds what was said."""

    path: str
    list: str

    def said(self, body: JsonBody) -> Said: ...

    def place(self, body: JsonBody, memory: Recollection) -> None: ...

    def event(self, answer: Answer, payload: dict[str, Any]) -> None:
        """One event of a stream."""
        ...

    def whole(self, answer: Answer, payload: dict[str, Any]) -> None:
        """An answer in one piece."""
        ...

    def error(self, status: int, message: str) -> dict[str, Any]: ...


def text_of(content: object) -> str:
    """The words of a message; of what has none, what it was."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part if isinstance(part, dict) else {} for part in content]
    words = "\n".join(str(part["text"]) for part in parts if isinstance(part.get("text"), str) and part["text"])
    kinds = [str(part.get("type") or "something") for part in parts if not isinstance(part.get("text"), str)]
    return words or " ".join(f"[{kind.removeprefix('input_').removesuffix('_url')}]" for kind in kinds)


def texts_of(messages: Sequence[Any]) -> frozenset[str]:
    found = (text_of(each.get("content")).strip() for each in messages if isinstance(each, dict))
    return frozenset(filter(None, found))


def role_of(message: object) -> str:
    return str(message.get("role") or "") if isinstance(message, dict) else ""


def number(value: object) -> int:
    """A count, as far as a database can keep it."""
    return min(value, _MOST_COUNTED) if isinstance(value, int) and value > 0 else 0


def label(value: object) -> str:
    """The name that a provider gives to a model, an answer or its end."""
    return value[:_LONGEST_NAME] if isinstance(value, str) else ""


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
