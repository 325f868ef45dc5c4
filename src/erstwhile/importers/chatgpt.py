"""ChatGPT's export. Of a tree, the branch that ends in `current_node` is imported."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from erstwhile.importers import conversations, model, scan
from erstwhile.log.model import NewMessage

_THOUGHTS: Final = "thoughts of the assistant"
_INSTRUCTIONS: Final = (
    "custom instructions (told once, repeated in every conversation: tell them to memory yourself)"
)
_LEFT_TYPES: Final = {
    "thoughts": _THOUGHTS,
    "reasoning_recap": _THOUGHTS,
    "user_editable_context": _INSTRUCTIONS,
    "model_editable_context": "what ChatGPT remembered itself",
}
_LEFT_ROLES: Final = {"system": "system messages", "tool": "results of tools"}
_PICTURES: Final = {
    "image_asset_pointer": "[image]",
    "video_container_asset_pointer": "[video]",
    "audio_asset_pointer": "[audio]",
    "real_time_user_audio_video_asset_pointer": "[audio]",
}
_MARK = re.compile("\ue200([^\ue200\ue201]*)\ue201")  # citations and named things

_Person = tuple[str | None, str | None]  # id and name of the owner of the account


def _convert(source: model.ImportSource) -> conversations.Convert:
    account = scan.mapping(conversations.read_side_file(source, "user.json"))
    person = scan.identity(account.get("id")) or None, scan.name(account.get("name"))
    return lambda where, given: _conversation(where, given, person)


def _like(head: str) -> bool:
    return '"mapping"' in head and '"chat_messages"' not in head


FORMAT = conversations.conversation_format("ChatGPT", _like, _convert)


def _conversation(where: str, given: Mapping[str, Any], person: _Person) -> model.ReadItems:
    given_nodes = scan.mapping(given.get("mapping")).items()
    nodes = {id: node for id, node in given_nodes if isinstance(node, dict)}
    id = scan.identity(given.get("conversation_id")) or scan.identity(given.get("id"))
    if not id:
        yield model.ImportProblem(where, "The conversation has no id. It was left out.")
        return
    if not nodes:
        yield model.SkippedItems("empty conversations")
        return
    way = _way(nodes, scan.text(given.get("current_node")))
    yield from way.problems(where)
    at = scan.seconds(given.get("create_time"))
    meta = scan.filled(title=scan.name(given.get("title")))
    left: Counter[str] = Counter()
    for number, node in enumerate(way.ids, 1):
        message, here = scan.mapping(nodes[node].get("message")), f"{where}, message {number:,}"
        if not message:
            continue
        at = scan.seconds(message.get("create_time")) or at
        why = _left(message)
        said = None if why else _message(message, person)
        if said is None:
            left[why or "messages without words"] += 1
        elif not said.key:
            yield model.ImportProblem(here, "The message has no id. It was left out.")
        else:
            yield model.ImportedMessage(f"chatgpt:{id}", replace(said, at=at, meta=meta), here)
    on_the_way = set(way.ids)
    if other := sum(1 for node in nodes if node not in on_the_way and _spoken(nodes[node])):
        left["other branches"] += other
    yield from (model.SkippedItems(why, count) for why, count in left.items())


def _way(nodes: Mapping[str, Mapping[str, Any]], current: str) -> conversations.Branch:
    """Return the branch. Children name the parent where a node does not."""
    parents: dict[str, str] = {}
    for id, node in nodes.items():
        for child in scan.items(node.get("children")):
            if isinstance(child, str) and scan.mapping(nodes.get(child)).get(
                "message"
            ):  # not the root
                parents.setdefault(child, id)
    for id, node in nodes.items():
        above = scan.text(node.get("parent"))
        if above and (above in nodes or id not in parents):
            parents[id] = above
    if current not in nodes:
        known = [id for id in nodes if _spoken(nodes[id])] or list(nodes)
        messages = {id: scan.mapping(nodes[id].get("message")) for id in known}
        times = {id: scan.seconds(message.get("create_time")) for id, message in messages.items()}
        current = conversations.leaf(parents, times)
    return conversations.upwards(parents, current, nodes)


def _spoken(node: Mapping[str, Any]) -> bool:
    message = scan.mapping(node.get("message"))
    return bool(message) and not _left(message) and bool(_words(message))


def _left(message: Mapping[str, Any]) -> str:
    """Return why a message is left out, or ""."""
    role = scan.mapping(message.get("author")).get("role")
    metadata, content = scan.mapping(message.get("metadata")), scan.mapping(message.get("content"))
    kind = content.get("content_type")
    if isinstance(kind, str) and kind in _LEFT_TYPES:
        return _LEFT_TYPES[kind]
    if role not in ("user", "assistant"):
        return _LEFT_ROLES.get(scan.text(role), "messages of nobody")
    if metadata.get("is_visually_hidden_from_conversation") is True or message.get("weight") == 0:
        return "hidden messages"
    if role == "assistant":
        if scan.text(message.get("channel")) in ("analysis", "commentary"):
            return _THOUGHTS
        if scan.text(message.get("recipient")) not in ("", "all"):
            return "calls of tools"
    return ""


def _message(message: Mapping[str, Any], person: _Person) -> NewMessage | None:
    words, id = _words(message), scan.identity(message.get("id"))
    if not words:
        return None
    author, key = scan.mapping(message.get("author")), f"chatgpt:{id}" if id else None
    if author.get("role") == "user":
        called = scan.name(author.get("name"), person[1])
        return NewMessage("user", words, person=person[0], name=called, key=key)
    slug = scan.name(scan.mapping(message.get("metadata")).get("model_slug"))
    return NewMessage("assistant", words, key=key, model=slug)


def _words(message: Mapping[str, Any]) -> str:
    content = scan.mapping(message.get("content"))
    parts = scan.items(content.get("parts"))
    kinds = [scan.text(scan.mapping(part).get("content_type")) for part in parts]
    transcribed = "audio_transcription" in kinds
    words = [_part(part, transcribed) for part in parts]
    words += [scan.text(content.get(field)) for field in ("text", "result") if not any(words)]
    pictured = "[image]" in words
    for attached in scan.mappings(scan.mapping(message.get("metadata")).get("attachments")):
        kind = scan.text(attached.get("mime_type", attached.get("mimeType")))
        if not (pictured and kind.startswith("image/")):
            words.append(scan.file(scan.text(attached.get("name"))))
    return "\n".join(_MARK.sub(_unmarked, word) for word in words if word.strip()).strip()


def _part(part: object, transcribed: bool) -> str:
    if isinstance(part, str):
        return part
    kind = scan.text(scan.mapping(part).get("content_type"))
    if kind in _PICTURES:
        return "" if transcribed and _PICTURES[kind] == "[audio]" else _PICTURES[kind]
    return scan.text(scan.mapping(part).get("text"))


def _unmarked(mark: re.Match[str]) -> str:
    """Keep the name of a named thing; drop citations, whose targets are not in the export."""
    kind, _, rest = mark[1].partition("\ue202")
    if kind != "entity" or len(rest) > 1000:
        return ""
    try:
        told = scan.items(json.loads(rest))
    except (ValueError, RecursionError):
        return ""
    return scan.text(told[1]) if len(told) > 1 else ""
