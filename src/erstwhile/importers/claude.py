"""The export of Claude: conversations with their messages, since 2026 with the branches they were said in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from erstwhile.importers import branch, conversations
from erstwhile.importers.fields import file, identity, iso, items, mapping, mappings, name, text
from erstwhile.importers.model import Left, Line, Problem, Read, Source
from erstwhile.log.model import NewMessage

_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}
_ROOT: Final = "00000000-0000-4000-8000-000000000000"
_LEFT_BLOCKS: Final = {
    "tool_use": "calls of tools and their results",
    "tool_result": "calls of tools and their results",
    "thinking": "thoughts of the assistant",
    "redacted_thinking": "thoughts of the assistant",
}
# Nobody said it in a conversation: it is left to the person to tell it.
_BESIDE: Final = {"projects.json": "projects", "memories.json": "what Claude remembered itself"}


class Claude:
    name = "claude"

    def recognises(self, source: Source) -> bool:
        return bool(conversations.files(source, _like))

    def read(self, source: Source) -> Iterator[Read]:
        found = conversations.files(source, _like)
        if not found:
            raise conversations.nothing(source, "Claude")
        people = _people(conversations.about(source, "users.json"))
        for entry in found:
            for each in conversations.each(entry):
                if isinstance(each, Problem):
                    yield each
                else:
                    yield from _conversation(*each, people)
        for beside, what in _BESIDE.items():
            there = conversations.about(source, beside)
            if there:
                yield Left(what, len(there) if isinstance(there, list) else 1)


FORMAT = Claude()


def _like(head: str) -> bool:
    return '"chat_messages"' in head


def _people(given: object) -> dict[str, str | None]:
    found = mappings(given) if isinstance(given, list) else [mapping(given)]
    return {text(user.get("uuid")): name(user.get("full_name")) for user in found if text(user.get("uuid"))}


@dataclass(frozen=True, slots=True)
class _Talk:
    """What all messages of a conversation share."""

    person: str | None
    name: str | None
    meta: Mapping[str, Any]


def _conversation(where: str, given: Mapping[str, Any], people: Mapping[str, str | None]) -> Iterator[Read]:
    id = identity(given.get("uuid"))
    if not id:
        yield Problem(where, "The conversation has no uuid. It was left out.")
        return
    messages = mappings(given.get("chat_messages"))
    odd = len(items(given.get("chat_messages"))) - len(messages)
    if odd:
        yield Problem(where, f"{odd:,} messages are not objects. They were left out.")
    if not messages:
        yield Left("empty conversations")
        return
    person = identity(mapping(given.get("account")).get("uuid")) or (next(iter(people)) if len(people) == 1 else "")
    title = name(given.get("name"))
    talk = _Talk(person or None, people.get(person), {"title": title} if title else {})
    way = _way(messages, text(given.get("current_leaf_message_uuid")))
    if way.broken:
        yield Problem(where, f"Only the last {len(way.ids):,} messages could be followed: {way.broken}.")
    left: Counter[str] = Counter()
    if len(way.ids) < len(messages):
        left["other branches"] = len(messages) - len(way.ids)
    at = iso(given.get("created_at"))
    for index in map(int, way.ids):
        at = iso(messages[index].get("created_at")) or at
        said = _message(messages[index], talk, at, left)
        here = f"{where}, message {index + 1:,}"
        if isinstance(said, str):
            yield Problem(here, said)
        elif said is not None:
            yield Line(f"claude:{id}", said, here)
    yield from (Left(why, count) for why, count in left.items())


def _way(messages: Sequence[Mapping[str, Any]], current: str) -> branch.Branch:
    """Numbers of messages. Older exports say nothing of branches: there they stand in order."""
    numbers = {text(message.get("uuid")): str(index) for index, message in enumerate(messages)}
    above = [text(message.get("parent_message_uuid")) for message in messages]
    if not any(each in numbers for each in above if each):
        return branch.Branch([str(index) for index in range(len(messages))])
    parents = {str(index): numbers.get(each, each) for index, each in enumerate(above) if each}
    known = {str(index): None for index in range(len(messages))}
    end = numbers.get(current) if current else None
    if end is None:
        end = branch.leaf(parents, sorted(known, key=lambda index: _time(messages[int(index)])))
    return branch.upwards(parents, end, known, (_ROOT,))


def _time(message: Mapping[str, Any]) -> float:
    at = iso(message.get("created_at"))
    return at.timestamp() if at else 0.0


def _message(
    message: Mapping[str, Any], talk: _Talk, at: datetime | None, left: Counter[str]
) -> NewMessage | str | None:
    """What was said; a text says what is wrong with it; None if there is nothing to keep."""
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
    """The blocks say it best: beside them `text` has "This block is not supported" in the place of each call of a tool."""
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
    """Names only. What stands in a file is somebody's text, but not what this person said, and must not be remembered as that."""
    for attached in [*mappings(message.get("attachments")), *mappings(message.get("files"))]:
        yield file(text(attached.get("file_name")))
        if text(attached.get("extracted_content")):
            left["texts of attached files"] += 1
