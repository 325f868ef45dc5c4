"""Claude's export: conversations with their messages, since 2026 with branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from erstwhile.base.records import dataclass
from erstwhile.importers import conversations
from erstwhile.importers.fields import file, identity, iso, items, mapping, mappings, name, text
from erstwhile.importers.model import ImportedMessage, ImportProblem, ImportSource, ReadItem, SkippedItems
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


class Claude(conversations.ConversationFormat):
    def read(self, source: ImportSource) -> Iterator[ReadItem]:
        yield from super().read(source)
        for beside, what in _BESIDE.items():
            there = conversations.read_side_file(source, beside)
            if there:
                yield SkippedItems(what, len(there) if isinstance(there, list) else 1)


def _convert(source: ImportSource) -> conversations.Convert:
    people = _people(conversations.read_side_file(source, "users.json"))
    return lambda where, given: _conversation(where, given, people)


def _like(head: str) -> bool:
    return '"chat_messages"' in head


FORMAT = Claude("Claude", _like, _convert)


def _people(given: object) -> dict[str, str | None]:
    found = mappings(given) if isinstance(given, list) else [mapping(given)]
    return {text(user.get("uuid")): name(user.get("full_name")) for user in found if text(user.get("uuid"))}


@dataclass(frozen=True, slots=True)
class _Conversation:
    """What all messages of a conversation have in common."""

    person: str | None
    name: str | None
    meta: Mapping[str, Any]


def _conversation(where: str, given: Mapping[str, Any], people: Mapping[str, str | None]) -> Iterator[ReadItem]:
    id = identity(given.get("uuid"))
    if not id:
        yield ImportProblem(where, "The conversation has no uuid. It was left out.")
        return
    messages = mappings(given.get("chat_messages"))
    odd = len(items(given.get("chat_messages"))) - len(messages)
    if odd:
        yield ImportProblem(where, f"{odd:,} messages are not objects. They were left out.")
    if not messages:
        yield SkippedItems("empty conversations")
        return
    person = identity(mapping(given.get("account")).get("uuid")) or (next(iter(people)) if len(people) == 1 else "")
    title = name(given.get("name"))
    talk = _Conversation(person or None, people.get(person), {"title": title} if title else {})
    way = _way(messages, text(given.get("current_leaf_message_uuid")))
    if way.broken:
        yield ImportProblem(where, f"Only the last {len(way.ids):,} messages could be followed: {way.broken}.")
    left: Counter[str] = Counter()
    if len(way.ids) < len(messages):
        left["other branches"] = len(messages) - len(way.ids)
    at = iso(given.get("created_at"))
    for index in map(int, way.ids):
        at = iso(messages[index].get("created_at")) or at
        said = _message(messages[index], talk, at, left)
        here = f"{where}, message {index + 1:,}"
        if isinstance(said, str):
            yield ImportProblem(here, said)
        elif said is not None:
            yield ImportedMessage(f"claude:{id}", said, here)
    yield from (SkippedItems(why, count) for why, count in left.items())


def _way(messages: Sequence[Mapping[str, Any]], current: str) -> conversations.Branch:
    """Return the indexes of the branch. Older exports have none; all are in order."""
    numbers = {text(message.get("uuid")): str(index) for index, message in enumerate(messages)}
    above = [text(message.get("parent_message_uuid")) for message in messages]
    if not any(each in numbers for each in above if each):
        return conversations.Branch([str(index) for index in range(len(messages))])
    parents = {str(index): numbers.get(each, each) for index, each in enumerate(above) if each}
    known = {str(index): None for index in range(len(messages))}
    end = numbers.get(current) if current else None
    if end is None:
        end = conversations.leaf(parents, sorted(known, key=lambda index: _time(messages[int(index)])))
    return conversations.upwards(parents, end, known, (_ROOT,))


def _time(message: Mapping[str, Any]) -> float:
    at = iso(message.get("created_at"))
    return at.timestamp() if at else 0.0


def _message(
    message: Mapping[str, Any], talk: _Conversation, at: datetime | None, left: Counter[str]
) -> NewMessage | str | None:
    """Return the message, what is wrong with it, or None if there is nothing to keep."""
    role = _ROLES.get(text(message.get("sender")))
    if role is None:
        left["messages of nobody"] += 1
        return None
    id = identity(message.get("uuid"))
    if not id:
        return "The message has no uuid. It was left out."
    words = _words(message, left)
    if not words:
        left["messages without words"] += 1
        return None
    by_user = role == "user"
    return NewMessage(
        role=role,
        text=words,
        person=talk.person if by_user else None,
        name=talk.name if by_user else None,
        at=at,
        key=f"claude:{id}",
        model=None if by_user else name(message.get("model")),
        meta=talk.meta,
    )


def _words(message: Mapping[str, Any], left: Counter[str]) -> str:
    """Read the blocks: `text` has "This block is not supported" for each tool call."""
    words: list[str] = []
    blocks = mappings(message.get("content"))
    for block in blocks:
        why = _LEFT_BLOCKS.get(text(block.get("type")))
        if why:
            left[why] += 1
        else:
            words.append(text(block.get("text")))
    if not blocks:
        words.append(text(message.get("text")))
    return "\n\n".join(word for word in [*words, *_files(message, left)] if word.strip()).strip()


def _files(message: Mapping[str, Any], left: Counter[str]) -> Iterator[str]:
    """Yield file names only: a file's text is not what this person said."""
    for attached in [*mappings(message.get("attachments")), *mappings(message.get("files"))]:
        yield file(text(attached.get("file_name")))
        if text(attached.get("extracted_content")):
            left["texts of attached files"] += 1
