"""Words on their way in and out: without our own name, without pings, and no longer than a message may be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from erstwhile.bots.port import Place

_HAIR = "\u200b"  # a space of no width: what follows is text, and nobody is called by it
_PINGS = re.compile(r"@(?=everyone\b|here\b|channel\b)|<(?=[@!#][^>\n]{1,40}>)", re.IGNORECASE)
_MENTION = re.compile(r"\s*<@[!&]?[^<>\s]{1,64}>[\s,:]*")
_PERSON = re.compile(r"<@!?([^<>\s&!]{1,64})>")
_FENCE: Final = "```"

SLOW_DOWN: Final = "That was a lot at once. Give me a minute, then ask again."
FAILED: Final = "I could not answer that just now. Try again in a little while."
NOTED: Final = "Noted."
FORGOTTEN: Final = "Forgotten."
NOT_THERE: Final = "I knew nothing like that."
SENT: Final = "I've sent it to you."
UNSENT: Final = "That is for you alone, and I can't write to you privately. Use `/about` or `/what-do-you-know`; only you see the answer."
NOTHING_KNOWN: Final = "I know nothing about that."
NOBODY_KNOWN: Final = "I know nothing about them."
OPTED_OUT: Final = "You are left out here: nothing of yours is kept or told."
HELLO: Final = "Ask me what was said here, or tell me what to remember. `/privacy` says what I keep."
CANT_READ: Final = "I can't read what is said here. Invite me to the channel, or let me read it, and then say it again."
NO_MODEL: Final = "No model is set up to answer with. This is what was said:"


def unkept(place: Place) -> str:
    """Said elsewhere, too: so it names the place."""
    if place.direct:
        return "I don't keep what you say here. `/memory on` changes that."
    where = f"in #{place.title.lstrip('#')}" if place.title else "there"
    return f"I don't keep what is said {where}. Someone who manages that channel can say `/memory on` there."


def to_us(text: str, me: str) -> str:
    """What is said, without the mention of us; where nobody knows how we are called, without the one it begins with."""
    if me:
        return re.sub(rf"\s*<@[!&]?{re.escape(me)}>[,:]?", " ", text).strip()
    return _MENTION.sub("", text, count=1).strip() if _MENTION.match(text) else text.strip()


def mentioned(text: str) -> set[str]:
    return set(_PERSON.findall(text))


def by_name(text: str, names: Mapping[str, str], me: str = "") -> str:
    """As people read it: the names of those who are mentioned, and not our own, which only calls us."""
    text = re.sub(rf"<@!?{re.escape(me)}>[,:]?\s*", "", text) if me else text
    return _PERSON.sub(lambda found: "@" + " ".join(names.get(found[1], "someone").split()), text)


def calm(text: str) -> str:
    """Nobody is called by what we say, whoever put it into our mouth."""
    return _PINGS.sub(lambda found: found[0] + _HAIR, text)


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def dated(at: datetime) -> str:
    return f"{at:%b} {at.day}, {at.year}"


def pieces(text: str, longest: int) -> list[str]:
    """Cut at the ends of lines, else of sentences, else of words. A block of code stays whole where it fits into one message; where it
    does not, each piece is a block."""
    found: list[str] = []
    rest, inside = text.strip(), ""
    while rest:
        head = f"{inside}\n" if inside else ""
        room = longest - len(head)
        if len(rest) <= room:
            found.append(head + rest)
            break
        cut = _cut(rest, room - len(_FENCE) - 1, inside=bool(inside))
        piece, rest = rest[:cut].rstrip(), rest[cut:].lstrip("\n" if inside else None)
        inside = _left_open(piece, inside)
        found.append(head + piece + (f"\n{_FENCE}" if inside else ""))
    return found


def _left_open(piece: str, inside: str) -> str:
    """The line that opened the block in which the piece ends, or ""."""
    for line in piece.splitlines():
        if line.lstrip().startswith(_FENCE):
            inside = "" if inside else line.strip()[:40]
    return inside


def _cut(text: str, room: int, *, inside: bool) -> int:
    head = text[:room]
    if not inside and head.count(_FENCE) % 2:
        before = head.rfind(_FENCE)
        whole = text.find(_FENCE, before + len(_FENCE))
        if before > 0 and 0 <= whole - before <= room:
            return before
    for end in ("\n\n", "\n", ". ", "! ", "? ", "。", " "):
        at = head.rfind(end)
        if at > room // 3:
            return at + len(end)
    return max(1, room)
