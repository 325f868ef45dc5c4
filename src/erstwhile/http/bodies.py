"""Check request bodies: size, no compression, and unambiguous JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.types import Message, Receive

from erstwhile.http.problems import Problem

# How much of a body that is too large is read and discarded, so that the client gets to read the
# error.
_DRAINED = 32 * 1024 * 1024


async def checked(headers: Headers, receive: Receive, most: int) -> Receive:
    """Check the body and return what to read it from. Other than JSON, its size is checked while it
    is read."""
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise Problem(415, "Compressed bodies are not accepted. Send the body without Content-Encoding.")
    if _length(headers) > most:
        if "expect" not in headers:
            await _drain(receive)
        raise _too_large(most)
    if not _is_json(headers):
        if _length(headers) and "content-type" in headers:
            await _drain(receive)
            raise Problem(415, "The body is not marked as JSON. Send it with `Content-Type: application/json`.")
        return _counted(receive, most)
    body = await _whole(receive, most)
    if body is None:  # the client has disconnected
        return _replayed({"type": "http.disconnect"}, receive)
    if body:
        check_json(body)
    return _replayed({"type": "http.request", "body": body, "more_body": False}, receive)


def _length(headers: Headers) -> int:
    given = headers.get("content-length", "0")
    if not (given.isascii() and given.isdigit()):
        raise Problem(400, "Content-Length is not a number.")
    return int(given[:20])


def check_json(body: bytes) -> None:
    """Refuse JSON that parsers read differently: duplicate names, NaN, infinite numbers."""
    try:
        json.loads(body.decode("utf-8"), object_pairs_hook=_each_once, parse_constant=_no_constant, parse_float=_finite)
    except UnicodeDecodeError:
        raise Problem(422, "The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise Problem(422, f"The body is not JSON: {error.msg} at character {error.pos}.") from None
    except RecursionError:
        raise Problem(422, "The JSON is nested too deeply.") from None
    except ValueError as error:
        raise Problem(422, f"The JSON is not accepted: {error}.") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same name twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _is_json(headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


async def _whole(receive: Receive, most: int) -> bytes | None:
    pieces, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > most:
            await _drain(receive)
            raise _too_large(most)
        if not message.get("more_body", False):
            return b"".join(pieces)


def _replayed(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def read() -> Message:
        return waiting.pop() if waiting else await receive()

    return read


def _counted(receive: Receive, most: int) -> Receive:
    size = 0

    async def read() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            # The framework handles only this exception while it reads a body.
            raise HTTPException(413, _too_large(most).detail)
        return message

    return read


async def _drain(receive: Receive) -> None:
    size = 0
    while size < _DRAINED:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return


def _too_large(most: int) -> Problem:
    return Problem(
        413, f"The body is larger than {most:,} bytes. Send less at a time, or raise ERSTWHILE_LIMITS__BODY_BYTES."
    )
