"""Texts of replies, and functions to clean, shorten and split text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from erstwhile.api.portraits import About
from erstwhile.bots.port import ChatPlace

_ZERO_WIDTH_SPACE = "\u200b"  # after a sign, so that what follows is no mention
_PINGS = re.compile(r"@(?=everyone\b|here\b|channel\b)|<(?=[@!#][^>\n]{1,40}>)", re.IGNORECASE)
_LEADING_MENTION = re.compile(r"\A\s*+<@[!&]?[^<>\s]{1,64}>[\s,:]*")
_PERSON = re.compile(r"<@!?([^<>\s&!]{1,64})>")
_FENCE: Final = "```"

SLOW_DOWN: Final = "That was a lot at once. Give me a minute, then ask again."
FAILED: Final = "I could not answer that just now. Try again in a little while."
NOTED: Final = "Noted."
FORGOTTEN: Final = "Forgotten."
NOT_THERE: Final = "I remembered nothing like that."
SENT: Final = "I've sent it to you."
UNSENT: Final = (
    "Only you may see that, and I can't message you privately. "
    "Use `/about` or `/what-do-you-know`; only you see the answer."
)
NOTHING_KNOWN: Final = "I know nothing about that."
NOBODY_KNOWN: Final = "I know nothing about them."
OPTED_OUT: Final = "You opted out here: nothing of yours is kept or used."
HELLO: Final = (
    "Ask me what was said here, or tell me what to remember. `/privacy` says what I keep."
)
CANT_READ: Final = (
    "I can't read what is said here. Invite me to the channel, or let me read it, then try again."
)
NO_MODEL: Final = "No model is configured. The best matches:"
NOT_LISTENING: Final = "I don't listen here. `/memory on` changes that."


def not_kept(place: ChatPlace) -> str:
    """Explain that nothing is stored. It names the place, because it may be sent elsewhere."""
    if place.direct:
        return "I don't keep what you say here. `/memory on` changes that."
    where = f"in #{place.title.lstrip('#')}" if place.title else "there"
    return f"I don't keep what is said {where}. Someone who manages that channel can say `/memory on` there."


def describe(known: About) -> str:
    """Format what is known about a person; "" if nothing is."""
    facts = [
        f"- {stated.text}" + (f" ({stated.source})" if stated.source else "")
        for stated in (each for section in known.profile.values() for each in section)
    ]
    facts += [f"- {fact.line}" for fact in known.facts]
    wants = "\n".join(f"- {each.line}" for each in known.standing)
    wants = f"Wants from every answer:\n{wants}" if wants else ""
    return "\n\n".join(filter(None, [known.text, wants, "\n".join(facts)]))


def strip_mention(text: str, me: str) -> str:
    """Remove the mention of the bot, or the leading mention if its id is unknown."""
    if me:
        *before, last = re.split(rf"<@[!&]?{re.escape(me)}>[,:]?", text)
        return " ".join([*map(str.rstrip, before), last]).strip()
    return _LEADING_MENTION.sub("", text).strip()


def mentioned_people(text: str) -> set[str]:
    return set(_PERSON.findall(text))


def use_names(text: str, names: Mapping[str, str], me: str = "") -> str:
    """Replace mentions by names, and remove those of the bot."""
    text = re.sub(rf"<@!?{re.escape(me)}>[,:]?\s*", "", text) if me else text
    return _PERSON.sub(lambda found: "@" + " ".join(names.get(found[1], "someone").split()), text)


def disable_pings(text: str) -> str:
    """Make mentions in a reply harmless, whoever wrote them."""
    return _PINGS.sub(lambda found: found[0] + _ZERO_WIDTH_SPACE, text)


def quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def gist(text: str, most: int) -> str:
    """Return the beginning of a text, on one line."""
    return clip(" ".join(text.split()), most)


def format_date(at: datetime) -> str:
    return f"{at:%b} {at.day}, {at.year}"


def split(text: str, max_length: int) -> list[str]:
    """Split at the ends of lines, else sentences, else words. A code block stays whole if it fits
    into one message; otherwise each piece is a block."""
    found: list[str] = []
    rest, fence = text.strip(), ""
    while rest:
        head = f"{fence}\n" if fence else ""
        room = max_length - len(head)
        if len(rest) <= room:
            found.append(head + rest)
            break
        cut = _cut(rest, room - len(_FENCE) - 1, fence=bool(fence))
        piece, rest = rest[:cut].rstrip(), rest[cut:].lstrip("\n" if fence else None)
        fence = _open_fence(piece, fence)
        found.append(head + piece + (f"\n{_FENCE}" if fence else ""))
    return found


def _open_fence(piece: str, fence: str) -> str:
    """Return the line that opened the code block in which the piece ends, or ""."""
    for line in piece.splitlines():
        if line.lstrip().startswith(_FENCE):
            fence = "" if fence else line.strip()[:40]
    return fence


def _cut(text: str, room: int, *, fence: bool) -> int:
    head = text[:room]
    if not fence and head.count(_FENCE) % 2:
        before = head.rfind(_FENCE)
        whole = text.find(_FENCE, before + len(_FENCE))
        if before > 0 and 0 <= whole - before <= room:
            return before
    for end in ("\n\n", "\n", ". ", "! ", "? ", "。", " "):
        at = head.rfind(end)
        if at > room // 3:
            return at + len(end)
    return max(1, room)
