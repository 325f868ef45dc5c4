"""Slack's own markup, read and written: the same words for a message whether it is heard live or comes from an export."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

# Said by people. Everything else with a subtype is Slack's own notice of something (who joined, what was pinned).
SAID = frozenset({"", "thread_broadcast", "file_share", "me_message", "file_comment", "reply_broadcast"})
BY_BOTS = frozenset({"bot_message"})

_MARKED = re.compile(r"<([^<>\n]{1,4000})>")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))
_MENTIONED = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\((https?://[^\s)]+)\)")


def words(message: Mapping[str, Any]) -> str:
    """What a message says: its text, then the names of its files; what it was sent along with, where it has no words of its own."""
    said = [plain(str(message.get("text") or ""))]
    said += [f"[file: {name}]" for name in _files(message.get("files"))]
    said = [each for each in said if each.strip()]
    if not said:
        said = [plain(each) for each in _attached(message.get("attachments")) if each.strip()]
    return "\n".join(said).replace("\0", "").strip()


def plain(text: str) -> str:
    """Mentions of people stay as `<@id>`; channels, links and groups become what people see."""
    return _ENTITY.sub(lambda found: _ENTITIES[found[0]], _MARKED.sub(_shown, text))


def mentioned(text: str) -> list[str]:
    """The people whom a text as Slack has it names, in order."""
    return _MENTIONED.findall(text)


def without_mentions(text: str) -> str:
    return " ".join(_MENTIONED.sub(" ", text).split())


def written(text: str) -> str:
    """A text of ours as Slack takes it. Nothing in it reaches for anyone: `<!channel>` and `<@U…>` arrive as the characters they are. The
    Markdown that models write becomes Slack's where there is such; a link shows where it leads."""
    text = _LINK.sub(lambda link: f"{link[1]} ({link[2]})" if link[1] else link[2], text)
    text = _HEADING.sub(lambda line: f"**{line[1].strip('* ')}**", text)
    text = _BOLD.sub(r"*\1*", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _shown(found: re.Match[str]) -> str:
    target, bar, label = found[1].partition("|")
    mark, rest = target[0], target[1:]
    if mark == "@":
        return f"<@{rest}>"
    if mark == "#":
        return f"#{label or rest}"
    if mark == "!":
        name = label or rest.partition("^")[0]
        return name if label.startswith("@") or rest.startswith("date^") else f"@{name}"
    if ":" not in target:
        return found[0]
    address = target.removeprefix("mailto:").removeprefix("tel:")
    if not bar or not label.strip() or label in (address, target) or target.endswith(f"://{label}"):
        return address
    return f"{label} ({address})"


def _files(files: object) -> Iterable[str]:
    for each in files if isinstance(files, list) else []:
        if isinstance(each, Mapping) and each.get("mode") != "tombstone":
            yield str(each.get("title") or each.get("name") or "unnamed").strip() or "unnamed"


def _attached(attachments: object) -> Iterable[str]:
    for each in attachments if isinstance(attachments, list) else []:
        if isinstance(each, Mapping):
            yield str(each.get("text") or each.get("fallback") or "")
