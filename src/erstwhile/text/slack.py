"""Read and write Slack markup: the same text for a message from the live API and from an export."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

# Said by people. Everything else with a subtype is Slack's own notice of something (who joined,
# what was pinned).
SAID = frozenset(
    {"", "thread_broadcast", "file_share", "me_message", "file_comment", "reply_broadcast"}
)
BY_BOTS = frozenset({"bot_message"})

Named = Callable[[str], str]  # a channel's name by its id, or the id again

_MARKED = re.compile(r"<([^<>\n]{1,4000})>")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))
_MENTIONED = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")
_BOLD = re.compile(r"\*\*([^\s*](?:[^*\n]*[^\s*])?)\*\*")
_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
_LINES: Final = ("rich_text_section", "rich_text_preformatted", "rich_text_quote")
_DEEPEST: Final = 12
_LONGEST_NAME: Final = 200
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\((https?://[^\s)\[]+)\)")


def words(message: Mapping[str, Any], named: Named = str) -> str:
    """Return what a message says: its text, or where a program wrote only blocks, theirs; then the
    names of its files. Where it has no words of its own, what it was sent along with."""
    said = [plain(_text(message.get("text")), named)]
    if not said[0].strip():
        said = list(_blocks(message.get("blocks"), named))
    files = _objects(message.get("files"))
    said += [_file(each) for each in files if each.get("mode") != "tombstone"]
    if not any(each.strip() for each in said):
        attached = _objects(message.get("attachments"))
        texts = (_text(each.get("text")) or _text(each.get("fallback")) for each in attached)
        said = [plain(text, named) for text in texts]
    return "\n".join(each for each in said if each.strip()).replace("\0", "").strip()


def plain(text: str, named: Named = str) -> str:
    """Make plain text: mentions of people stay as `<@id>`; channels, links and groups become what people see."""
    shown = _MARKED.sub(lambda found: _shown(found, named), text)
    return _ENTITY.sub(lambda found: _ENTITIES[found[0]], shown)


def mentioned(text: str) -> list[str]:
    """Return the people whom a text as Slack has it names, in order."""
    return _MENTIONED.findall(text)


def without_mentions(text: str) -> str:
    return " ".join(_MENTIONED.sub(" ", text).split())


def written(text: str) -> str:
    """Return a text of ours as Slack takes it. Nothing in it reaches for anyone: `<!channel>` and
    `<@U…>` arrive as the characters they are. The Markdown that models write becomes Slack's where
    there is such; a link shows where it leads."""
    text = _LINK.sub(lambda link: f"{link[1]} ({link[2]})" if link[1] else link[2], text)
    text = _HEADING.sub(lambda line: f"**{line[1].strip('* ')}**", text)
    text = _BOLD.sub(r"*\1*", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _shown(found: re.Match[str], named: Named) -> str:
    target, bar, label = found[1].partition("|")
    mark, rest = target[0], target[1:]
    if mark == "@":
        return f"<@{rest}>"
    if mark == "#":
        return f"#{label or named(rest)}"
    if mark == "!":
        name = label or rest.partition("^")[0]
        return name if label.startswith("@") or rest.startswith("date^") else f"@{name}"
    if ":" not in target:
        return found[0]
    address = target.removeprefix("mailto:").removeprefix("tel:")
    if not bar or not label.strip() or label in (address, target) or target.endswith(f"://{label}"):
        return address
    return f"{label} ({address})"


def _file(file: Mapping[str, Any]) -> str:
    """Return a file's name on one line, so that it looks like no words of its own."""
    shown = " ".join((_text(file.get("title")) or _text(file.get("name"))).split())
    return f"[file: {shown[:_LONGEST_NAME] or 'unnamed'}]"


def _blocks(blocks: object, named: Named) -> Iterator[str]:
    for block in _objects(blocks):
        if block.get("type") == "rich_text":
            yield from (line for line in _rich(block, named, 0) if line.strip())
        elif block.get("type") in ("section", "header"):
            told = block.get("text")
            yield plain(_text(told.get("text")), named) if isinstance(told, Mapping) else ""


def _rich(block: Mapping[str, Any], named: Named, depth: int) -> Iterator[str]:
    """Return the lines; a list has an item in each."""
    for element in _objects(block.get("elements")):
        if element.get("type") in _LINES:
            yield "".join(_inline(each, named) for each in _objects(element.get("elements")))
        elif depth < _DEEPEST:
            yield from _rich(element, named, depth + 1)


def _inline(element: Mapping[str, Any], named: Named) -> str:
    kind = element.get("type")
    if kind == "user":
        return f"<@{_text(element.get('user_id'))}>"
    if kind == "channel":
        return f"#{named(_text(element.get('channel_id')))}"
    if kind == "emoji":
        return f":{_text(element.get('name'))}:"
    if kind == "broadcast":
        return f"@{_text(element.get('range'))}"
    if kind == "link":
        url, label = _text(element.get("url")), _text(element.get("text"))
        return f"{label} ({url})" if label and label != url else url
    return _text(element.get("text"))  # here nothing is escaped


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _objects(value: object) -> Sequence[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
