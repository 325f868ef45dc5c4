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
    """Format messages. `names`: by person id. With `numbered` each has its number, from 1, all but
    its text in attributes, and its day only where a day begins, which takes half of the tokens."""
    lines, day = [], None
    for number, each in enumerate(said, start=1):
        author = escape(label(names.get(each.person or "", each.speaker)))
        id, text = escape(each.person or ""), escape(named(_cut(each.text), names))
        if numbered:
            time = f"{each.at:%H:%M}" if each.at.date() == day else f"{each.at:%Y-%m-%d %H:%M}"
            tag = f'number="{number}" timestamp="{time}" author_id="{id}" author="{author}"'
            lines.append(f"<message {tag}>{text}</message>")
            day = each.at.date()
        else:
            lines.append(
                f"<message><timestamp>{each.at:%Y-%m-%d %H:%M}</timestamp><author_id>{id}</author_id>"
                f"<author>{author}</author><content>{text}</content></message>"
            )
    return "\n".join(lines)


def _cut(text: str) -> str:
    return text if len(text) <= MESSAGE_CHARACTERS else text[:MESSAGE_CHARACTERS] + "…"


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
