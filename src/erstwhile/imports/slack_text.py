"""What a Slack message says, in words. Mentions of people stay `<@U…>`: the log knows people by their ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from erstwhile.imports.fields import file, mapping, mappings, text

_ANGLES = re.compile(r"<([^<>]*)>")
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))  # Slack writes no others; the last one last
_DEEPEST: Final = 12
_LINES: Final = ("rich_text_section", "rich_text_preformatted", "rich_text_quote")


def words(message: Mapping[str, Any], channels: Mapping[str, str]) -> str:
    """`channels`: names by id. Words come from `text`; where a program wrote only blocks, from those."""
    said = text(message.get("text"))
    said = plain(said, channels) if said.strip() else "\n".join(_blocks(message.get("blocks"), channels))
    files = [
        file(text(each.get("title")) or text(each.get("name")) or "unnamed")
        for each in mappings(message.get("files"))
        if each.get("mode") != "tombstone"
    ]
    return "\n".join(part for part in [said.strip(), *files] if part)


def plain(said: str, channels: Mapping[str, str]) -> str:
    said = _ANGLES.sub(lambda found: _angle(found[1], channels), said)
    for written, sign in _ENTITIES:
        said = said.replace(written, sign)
    return said


def _angle(inside: str, channels: Mapping[str, str]) -> str:
    target, _, label = inside.partition("|")
    if target.startswith("@"):
        return f"<{target}>"
    if target.startswith("#"):
        return f"#{label or channels.get(target[1:], target[1:])}"
    if target.startswith("!"):
        command = target[1:].partition("^")[0]
        return label or f"@{command}"  # <!here>, <!subteam^S1|@cooks>, <!date^…|on Friday>
    if ":" not in target:
        return f"<{inside}>"
    address = target.removeprefix("mailto:").removeprefix("tel:")
    if not label or label == address or address in (f"http://{label}", f"https://{label}"):
        return address
    return f"{label} ({address})"


def _blocks(blocks: object, channels: Mapping[str, str]) -> Iterator[str]:
    for block in mappings(blocks):
        if block.get("type") == "rich_text":
            yield from (line for line in _rich(block, channels, 0) if line.strip())
        elif block.get("type") in ("section", "header"):
            yield plain(text(mapping(block.get("text")).get("text")), channels)


def _rich(block: Mapping[str, Any], channels: Mapping[str, str], depth: int) -> Iterator[str]:
    """Lines; a list has an item in each."""
    for element in mappings(block.get("elements")):
        if element.get("type") in _LINES:
            yield "".join(_inline(each, channels) for each in mappings(element.get("elements")))
        elif depth < _DEEPEST:
            yield from _rich(element, channels, depth + 1)


def _inline(element: Mapping[str, Any], channels: Mapping[str, str]) -> str:
    kind = element.get("type")
    if kind == "user":
        return f"<@{text(element.get('user_id'))}>"
    if kind == "channel":
        id = text(element.get("channel_id"))
        return f"#{channels.get(id, id)}"
    if kind == "emoji":
        return f":{text(element.get('name'))}:"
    if kind == "broadcast":
        return f"@{text(element.get('range'))}"
    if kind == "link":
        url, label = text(element.get("url")), text(element.get("text"))
        return f"{label} ({url})" if label and label != url else url
    return text(element.get("text"))  # here nothing is escaped
