"""Messages as XML, for steps that must know who is who: each with its time, the author's id and name, and what was said.

Whatever a person wrote, their name included, is escaped and can't close a tag; mentions become names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Protocol

from erstwhile.writers.transcript import MESSAGE_CHARACTERS

# Lone surrogates can't be sent, control characters mean nothing, tag characters are text that only a model sees.
_UNSENDABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]")
_MENTION = re.compile(r"<@!?([^<>\s]{1,64})>")


class Said(Protocol):
    @property
    def person(self) -> str | None: ...
    @property
    def speaker(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def at(self) -> datetime: ...


def messages(said: Iterable[Said], names: Mapping[str, str], *, numbered: bool = False) -> str:
    """`names`: how people are called, by id. With `numbered`, each message has its number, from 1, so that an answer can name it."""
    return "\n".join(
        _message(each, names, f' number="{number}"' if numbered else "") for number, each in enumerate(said, start=1)
    )


def _message(each: Said, names: Mapping[str, str], number: str) -> str:
    text = each.text if len(each.text) <= MESSAGE_CHARACTERS else each.text[:MESSAGE_CHARACTERS] + "…"
    author = names.get(each.person or "", each.speaker)
    return (
        f"<message{number}><timestamp>{each.at:%Y-%m-%d %H:%M}</timestamp><author_id>{escape(each.person or '')}</author_id>"
        f"<author>{escape(' '.join(author.split()))}</author><content>{escape(named(text, names))}</content></message>"
    )


def named(text: str, names: Mapping[str, str]) -> str:
    """Mentions of people as chat platforms write them, as names."""
    return _MENTION.sub(lambda found: f"@{names[found[1]]}" if found[1] in names else found[0], text)


def mentions(text: str) -> list[str]:
    """The ids that a text mentions."""
    return list(dict.fromkeys(_MENTION.findall(text)))


def escape(text: str) -> str:
    cleaned = _UNSENDABLE.sub("", text)
    return cleaned.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def plain(text: str) -> str:
    """Takes the escapes out of what a model quoted."""
    return text.replace("&quot;", '"').replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
