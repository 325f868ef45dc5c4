"""Claude's export: conversations with their messages, since 2026 with branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from erstwhile.importers import conversations, model, scan
from erstwhile.log.model import NewMessage

_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}
_ROOT: Final = "00000000-0000-4000-8000-000000000000"
_LEFT_BLOCKS: Final = {
    "tool_use": "calls of tools and their results",
    "tool_result": "calls of tools and their results",
    "thinking": "thoughts of the assistant",
    "redacted_thinking": "thoughts of the assistant",
}
# Not part of a conversation, so not imported.
_BESIDE: Final = {"projects.json": "projects", "memories.json": "what Claude remembered itself"}


def _convert(source: model.ImportSource) -> conversations.Convert:
    given = conversations.read_side_file(source, "users.json")
    found = scan.mappings(given) if isinstance(given, list) else [scan.mapping(given)]
    known = {scan.text(user.get("uuid")): scan.name(user.get("full_name")) for user in found}
    people = {id: called for id, called in known.items() if id}
    return lambda where, given: _conversation(where, given, people)


def _beside(source: model.ImportSource) -> model.ReadItems:
    for beside, what in _BESIDE.items():
        if there := conversations.read_side_file(source, beside):
            yield model.SkippedItems(what, len(there) if isinstance(there, list) else 1)


FORMAT = conversations.conversation_format(
    "Claude", lambda head: '"chat_messages"' in head, _convert, _beside
)


def _conversation(
    where: str, given: Mapping[str, Any], people: Mapping[str, str | None]
) -> model.ReadItems:
    id = scan.identity(given.get("uuid"))
    if not id:
        yield model.ImportProblem(where, "The conversation has no uuid. It was left out.")
        return
    messages = scan.mappings(given.get("chat_messages"))
    odd = len(scan.items(given.get("chat_messages"))) - len(messages)
    if odd:
        yield model.ImportProblem(where, f"{odd:,} messages are not objects. They were left out.")
    if not messages:
        yield model.SkippedItems("empty conversations")
        return
    person = scan.identity(scan.mapping(given.get("account")).get("uuid")) or (
        next(iter(people)) if len(people) == 1 else ""
    )
    way = _way(messages, scan.text(given.get("current_leaf_message_uuid")))
    yield from way.problems(where)
    left: Counter[str] = Counter()
    if len(way.ids) < len(messages):
        left["other branches"] = len(messages) - len(way.ids)
    at, meta = scan.iso(given.get("created_at")), scan.filled(title=scan.name(given.get("name")))
    for index in map(int, way.ids):
        at = scan.iso(messages[index].get("created_at")) or at
        said = _message(messages[index], left)
        here = f"{where}, message {index + 1:,}"
        if isinstance(said, str):
            yield model.ImportProblem(here, said)
        elif said is not None:
            if said.role == "user":
                said = replace(said, person=person or None, name=people.get(person))
            yield model.ImportedMessage(f"claude:{id}", replace(said, at=at, meta=meta), here)
    yield from (model.SkippedItems(why, count) for why, count in left.items())


def _way(messages: Sequence[Mapping[str, Any]], current: str) -> conversations.Branch:
    """Return the indexes of the branch. Older exports have none; all are in order."""
    numbers = {scan.text(message.get("uuid")): str(index) for index, message in enumerate(messages)}
    above = [scan.text(message.get("parent_message_uuid")) for message in messages]
    if not any(each in numbers for each in above if each):
        return conversations.Branch([str(index) for index in range(len(messages))])
    parents = {str(index): numbers.get(each, each) for index, each in enumerate(above) if each}
    known = {str(index): None for index in range(len(messages))}
    end = numbers.get(current) if current else None
    if end is None:
        times = {index: scan.iso(messages[int(index)].get("created_at")) for index in known}
        end = conversations.leaf(parents, times)
    return conversations.upwards(parents, end, known, (_ROOT,))


def _message(message: Mapping[str, Any], left: Counter[str]) -> NewMessage | str | None:
    """Return the message, what is wrong with it, or None if there is nothing to keep."""
    role = _ROLES.get(scan.text(message.get("sender")))
    if role is None:
        left["messages of nobody"] += 1
        return None
    id = scan.identity(message.get("uuid"))
    if not id:
        return "The message has no uuid. It was left out."
    words = _words(message, left)
    if not words:
        left["messages without words"] += 1
        return None
    slug = None if role == "user" else scan.name(message.get("model"))
    return NewMessage(role, words, key=f"claude:{id}", model=slug)


def _words(message: Mapping[str, Any], left: Counter[str]) -> str:
    """Read the blocks: `text` has "This block is not supported" for each tool call. Of files, only
    the names: a file's text is not what this person said."""
    words: list[str] = []
    blocks = scan.mappings(message.get("content"))
    for block in blocks or [message]:
        why = _LEFT_BLOCKS.get(scan.text(block.get("type"))) if blocks else None
        if why:
            left[why] += 1
        else:
            words.append(scan.text(block.get("text")))
    files = scan.mappings(message.get("files"))
    for attached in [*scan.mappings(message.get("attachments")), *files]:
        words.append(scan.file(scan.text(attached.get("file_name"))))
        if scan.text(attached.get("extracted_content")):
            left["texts of attached files"] += 1
    return "\n\n".join(word for word in words if word.strip()).strip()
