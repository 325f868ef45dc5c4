"""Format messages as XML with time, author id, name and text, for steps that distinguish people.

Texts and names are escaped and cannot close a tag; mentions become names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Protocol

from erstwhile.base.later import late_pattern
from erstwhile.text.labels import label
from erstwhile.writers.transcript import MESSAGE_CHARACTERS

# Lone surrogates can't be sent, control characters mean nothing, tag characters are invisible text.
_UNSENDABLE = late_pattern(
    r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
)
_MENTION = late_pattern(r"<@!?([^<>\s]{1,64})>")


class XmlMessage(Protocol):
    @property
    def person(self) -> str | None: ...
    @property
    def speaker(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def at(self) -> datetime: ...


def messages(
    said: Iterable[XmlMessage], names: Mapping[str, str], *, numbered: bool = False
) -> str:
    """Format messages. `names`: by person id. With `numbered` each has its number, from 1."""
    return "\n".join(
        _message(each, names, f' number="{number}"' if numbered else "")
        for number, each in enumerate(said, start=1)
    )


def _message(each: XmlMessage, names: Mapping[str, str], number: str) -> str:
    text = (
        each.text if len(each.text) <= MESSAGE_CHARACTERS else each.text[:MESSAGE_CHARACTERS] + "…"
    )
    author = label(names.get(each.person or "", each.speaker))
    return (
        f"<message{number}><timestamp>{each.at:%Y-%m-%d %H:%M}</timestamp><author_id>{escape(each.person or '')}</author_id>"
        f"<author>{escape(author)}</author><content>{escape(named(text, names))}</content></message>"
    )


def named(text: str, names: Mapping[str, str]) -> str:
    """Replace mentions by names."""
    return _MENTION.sub(
        lambda found: f"@{names[found[1]]}" if found[1] in names else found[0], text
    )


def mentions(text: str) -> list[str]:
    """Return the ids that a text mentions."""
    return list(dict.fromkeys(_MENTION.findall(text)))


def escape(text: str) -> str:
    cleaned = _UNSENDABLE.sub("", text)
    cleaned = cleaned.replace("&", "&amp;").replace("<", "&lt;")
    return cleaned.replace(">", "&gt;").replace('"', "&quot;")


def plain(text: str) -> str:
    """Remove the escapes from what a model quoted."""
    return (
        text.replace("&quot;", '"').replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
    )
