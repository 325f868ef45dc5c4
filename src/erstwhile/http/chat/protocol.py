"""The contract of a chat protocol: read a request, insert memory, read a response."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, Final, Protocol

from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.http.problems import Problem

_scan = json.JSONDecoder().raw_decode
_BLANK = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class JsonPiece:
    """A JSON value and its original text."""

    text: str
    value: Any

    @classmethod
    def of(cls, value: Any) -> JsonPiece:
        return cls(json.dumps(value, ensure_ascii=False, separators=(",", ":")), value)


_NOTHING = JsonPiece.of(None)


class JsonBody:
    def __init__(self, given: bytes) -> None:
        try:
            self._members = dict(_parts(given.decode(), ("{", "}")))
        except (ValueError, IndexError, RecursionError):
            raise Problem(400, "The body is not a JSON object in UTF-8.") from None

    def get(self, name: str) -> Any:
        return self._members.get(name, _NOTHING).value

    def put(self, name: str, value: Any) -> None:
        self._members[name] = JsonPiece.of(value)

    def drop(self, name: str) -> None:
        self._members.pop(name, None)

    def pieces(self, name: str) -> list[JsonPiece]:
        """Return the elements of a list; nothing for other values."""
        piece = self._members.get(name, _NOTHING)
        if not isinstance(piece.value, list):
            return []
        return [each for _, each in _parts(piece.text, ("[", "]"))]

    def put_pieces(self, name: str, pieces: list[JsonPiece]) -> None:
        whole = "[" + ",".join(piece.text for piece in pieces) + "]"
        self._members[name] = JsonPiece(whole, [piece.value for piece in pieces])

    def encode(self) -> bytes:
        """Encode the body. Lone surrogates are written as JSON escapes."""
        members = (f"{json.dumps(name)}:{piece.text}" for name, piece in self._members.items())
        return ("{" + ",".join(members) + "}").encode(errors="backslashreplace")


def _parts(text: str, brackets: tuple[str, str]) -> Iterator[tuple[str, JsonPiece]]:
    """Yield the members of an object, or the elements of a list, which have no names."""
    opening, closing = brackets
    name, at = "", _past(text, 0, opening)
    while text[at] != closing:
        if opening == "{":
            name, at = _scan(text, at)
            if not isinstance(name, str):
                raise ValueError
            at = _past(text, at, ":")
        value, end = _scan(text, at)
        yield name, JsonPiece(text[at:end], value)
        at = _blank(text, end)
        if text[at] != closing:
            at = _past(text, at, ",")
            if text[at] == closing:
                raise ValueError
    if _BLANK.fullmatch(text, at + 1) is None:
        raise ValueError


def _past(text: str, at: int, mark: str) -> int:
    at = _blank(text, at)
    if text[at] != mark:
        raise ValueError
    return _blank(text, at + 1)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


# Limits per response: characters of text, characters of tool arguments, tool calls.
_MOST_HEARD: Final = 4_000_000
_MOST_TOOLS: Final = 1000
_LONGEST_NAME: Final = 200
_MOST_COUNTED: Final = 2**31 - 1
INSTRUCTIONS: Final = ("system", "developer")  # roles
BROKEN: Final = "an error came in the middle of the answer"


@dataclass(frozen=True, slots=True)
class ChatInput:
    """What a request says. `question` is the last user message; it is `fresh` if nothing, such as a
    tool result, follows it. `history`: the client sent earlier messages. `texts` are all its texts,
    which memory need not repeat."""

    question: str = ""
    name: str | None = None
    fresh: bool = False
    history: bool = False
    texts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Recollection:
    """Memory to insert. `head` rarely changes between turns, `found` is for this question, `turns`
    are the latest messages: of the user and the assistant by turns, up to a reply."""

    head: str = ""
    found: str = ""
    turns: Sequence[dict[str, str]] = ()


@dataclass(slots=True)
class ReplyParts:
    """What was read of a response so far."""

    said: list[str] = field(default_factory=list)
    tools: dict[object, dict[str, Any]] = field(default_factory=dict)
    model: str = ""
    id: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    finish: str = ""
    failure: str = ""
    _length: int = 0
    _argued: int = 0

    @property
    def text(self) -> str:
        return "".join(self.said)

    def say(self, text: object) -> None:
        if isinstance(text, str) and text and self._length < _MOST_HEARD:
            self.said.append(text[: _MOST_HEARD - self._length])
            self._length += len(self.said[-1])

    def tool(self, key: object) -> dict[str, Any]:
        new = {"id": "", "name": "", "arguments": ""}
        full = len(self.tools) >= _MOST_TOOLS
        return self.tools.get(key, new) if full else self.tools.setdefault(key, new)

    def argue(self, tool: dict[str, Any], arguments: object) -> None:
        """Append arguments of a tool call."""
        if isinstance(arguments, str) and self._argued < _MOST_HEARD:
            tool["arguments"] += arguments[: _MOST_HEARD - self._argued]
            self._argued += len(arguments)


class ChatProtocol(Protocol):
    """A chat protocol. `path` is the provider's, `list` the member with the messages."""

    path: str
    list: str

    def question(self, messages: Sequence[Any]) -> int | None:
        """Return the index of the last message of the user."""
        places = reversed(range(len(messages)))
        return next((place for place in places if role_of(messages[place]) == "user"), None)

    def said(self, body: JsonBody) -> ChatInput:
        return self.read([piece.value for piece in body.pieces(self.list)])

    def read(self, messages: Sequence[Any]) -> ChatInput:
        """Return what the messages of a request say."""
        spoken = [text_of(each.get("content")) for each in messages if isinstance(each, dict)]
        texts = frozenset(filter(None, (text.strip() for text in spoken)))
        place = self.question(messages)
        if place is None:
            return ChatInput(history=True, texts=texts)
        asked, name = text_of(messages[place].get("content")), messages[place].get("name")
        history = sum(role_of(each) not in INSTRUCTIONS for each in messages) > 1
        named = name if isinstance(name, str) and name.strip() else None
        return ChatInput(asked, named, place == len(messages) - 1, history, texts)

    def place(self, body: JsonBody, memory: Recollection) -> None: ...

    def event(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        """Read one event of a stream."""
        ...

    def whole(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        """Read a whole response."""
        ...

    def error(self, status: int, message: str) -> dict[str, Any]: ...


def text_of(content: object) -> str:
    """Return the text of a message, or its content types if it has none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part if isinstance(part, dict) else {} for part in content]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    others = (part for part in parts if not isinstance(part.get("text"), str))
    kinds = (str(part.get("type") or "something") for part in others)
    shown = (f"[{kind.removeprefix('input_').removesuffix('_url')}]" for kind in kinds)
    return "\n".join(filter(None, texts)) or " ".join(shown)


def role_of(message: object) -> str:
    return str(message.get("role") or "") if isinstance(message, dict) else ""


def number(value: object) -> int:
    """Return a count within the database's range."""
    return min(value, _MOST_COUNTED) if isinstance(value, int) and value > 0 else 0


def label(value: object) -> str:
    """Return a short name given by the provider."""
    return value[:_LONGEST_NAME] if isinstance(value, str) else ""


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


log = Log(__name__)

_MOST = 32_000_000  # bytes kept of one event, or of a whole response


class ResponseReader:
    """Parse a response from chunks of bytes of any size."""

    def __init__(self, protocol: ChatProtocol, *, streamed: bool) -> None:
        self._protocol, self.streamed = protocol, streamed
        self._waiting = bytearray()
        self._too_long = False
        self.answer = ReplyParts()
        self.understood = False

    def feed(self, data: bytes) -> None:
        if not self.streamed:
            self._wait(data)
            return
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._wait(end)
            self._line()
        self._wait(rest)

    def end(self) -> None:
        if self.streamed:
            self._line()
        else:
            self._hear(bytes(self._waiting), self._protocol.whole)
        self._waiting.clear()

    def _wait(self, data: bytes) -> None:
        """Buffer data. An event that is too long is discarded."""
        self._too_long = self._too_long or len(self._waiting) + len(data) > _MOST
        if self._too_long:
            self._waiting.clear()
        else:
            self._waiting += data

    def _line(self) -> None:
        """Parse one line: every provider writes an event's data in one line."""
        if self._waiting.startswith(b"data:"):
            self._hear(bytes(self._waiting[5:]), self._protocol.event)
        self._waiting.clear()
        self._too_long = False

    def _hear(self, text: bytes, understand: Callable[[ReplyParts, dict[str, Any]], None]) -> None:
        try:
            payload = json.loads(text)
        except (ValueError, RecursionError):
            return
        if not isinstance(payload, dict):
            return
        self.understood = True
        try:
            understand(self.answer, payload)
        except Exception as error:  # noqa: BLE001 - the response goes on
            log.warning("chat.not_understood", error=type(error).__name__)
