"""Phrases that WhatsApp writes itself: omitted files, deleted and edited messages."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.importers.fields import file


def _phrases() -> dict[str, frozenset[str]]:
    """Read phrases.txt: sections in brackets, and phrases with bars between them."""
    found: dict[str, set[str]] = {}
    for line in files(__package__).joinpath("phrases.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), set())
        elif line and not line.startswith("#"):
            section.update(line.split(" | "))
    return {name: frozenset(phrases) for name, phrases in found.items()}


MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_OWN: Final = "\u200e"  # an iPhone writes this before its own phrases
_PHRASES: Final = _phrases()
_AT_THE_END = re.compile(r"(\u200e?)<([^<>\n]{4,60})>\Z")
# Android: IMG-1.jpg (file attached)
_ATTACHED = re.compile(r"\A([^\n<>/\\]{1,200}\.\w{1,8}) \(([^()\n]{3,40})\)(?:\n|\Z)")
_IN_ANGLES = re.compile(r"\A<[^<>:\n]{2,30}: ?([^<>\n]{1,200})>(?:\n|\Z)")  # iPhone: <attached: …>
_OMITTED = re.compile(r"\A<([^<>\n]{3,60})>(?:\n|\Z)")
# iPhone, a document left out: plan.pdf • 2 pages ‎document omitted
_DOCUMENT = re.compile(r"\A([^\n]{1,200}\.\w{1,8}) • ")
_SAVED = re.compile(r"\A(?:IMG|VID|AUD|PTT|STK|DOC|\w{1,4})-\d{8}-WA\d{4}\.\w{2,5}\Z")


@dataclass(frozen=True, slots=True)
class ChatText:
    """What is kept of a message. `same` does not depend on how files were exported and goes into
    the key. `left`: why nothing is kept."""

    text: str = ""
    same: str = ""
    edited: bool = False
    left: str = ""


def read(text: str, *, iphone: bool) -> ChatText:
    own = iphone and text.startswith(_OWN)
    text = text.strip(MARKS + " \n")
    text, edited = _without_edited(text)
    whole = text.strip(MARKS + " \n")
    if _plain(whole) in _PHRASES["deleted"]:
        return ChatText(left="deleted messages")
    media, rest = _media(whole, own)
    if media:
        rest = rest.strip(MARKS + " \n")
        shown, same = ("\n".join(filter(None, (each, rest))) for each in (media, "[media]"))
        return ChatText(shown, same, edited)
    if own and "\n" not in whole and "http" not in whole:  # a poll has lines, a place an address
        return ChatText(left="messages of WhatsApp itself")
    if not whole:
        return ChatText(left="messages without words")
    return ChatText(whole, whole, edited)


def _plain(text: str) -> str:
    return text.strip(MARKS + " .。").casefold()


def _without_edited(text: str) -> tuple[str, bool]:
    found = _AT_THE_END.search(text)
    if not found or _plain(found[2]) in _PHRASES["media"]:
        return text, False
    before = text[: found.start()].rstrip(" \n")
    edited = bool(before and (found[1] or _plain(found[2]) in _PHRASES["edited"]))
    return (before, True) if edited else (text, False)


def _media(text: str, own: bool) -> tuple[str, str]:
    """Return a label for the attachment, and the text sent with it."""
    attached = _ATTACHED.match(text)
    if attached and (
        own or _SAVED.match(attached[1].strip(MARKS)) or _plain(attached[2]) == "file attached"
    ):
        return file(attached[1].strip(MARKS)), text[attached.end() :]
    named = _IN_ANGLES.match(text) if own else None
    if named:
        return file(named[1].strip(MARKS)), text[named.end() :]
    omitted = _OMITTED.match(text)
    if omitted and _plain(omitted[1]) in _PHRASES["media"]:
        return "[media]", text[omitted.end() :]
    document = _DOCUMENT.match(text)
    if document and _OWN in text:
        return file(document[1]), ""
    short = "\n" not in text and len(text.split()) <= 4
    if own and short and _plain(text) not in _PHRASES["deleted"] and _is_left_out(text):
        return "[media]", ""
    return "", text


def _is_left_out(text: str) -> bool:
    """Return whether a file was omitted. An iPhone names its kind: "image omitted", "Bild
    weggelassen"."""
    shown = text.casefold()
    return any(word in shown for word in _PHRASES["left out"])
