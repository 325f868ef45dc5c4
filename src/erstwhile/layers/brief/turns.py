"""Turns: what someone said and what the assistant replied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from erstwhile.base.records import dataclass
from erstwhile.log.model import Message
from erstwhile.text import tokens

_FENCE = re.compile(r"^(?=[^\S\n]*===)", re.MULTILINE)


@dataclass(frozen=True)
class Turn:
    """One or more messages of people, then the assistant's replies. Without replies it is not
    finished."""

    asked: tuple[Message, ...]
    replied: tuple[Message, ...]

    @property
    def messages(self) -> tuple[Message, ...]:
        return (*self.asked, *self.replied)

    @property
    def finished(self) -> bool:
        return bool(self.replied)

    @property
    def last(self) -> int:
        return self.messages[-1].seq

    @cached_property
    def tokens(self) -> int:
        return tokens.count(render(self, several=False))


def group(messages: Iterable[Message]) -> list[Turn]:
    """Group messages into turns, in order. Only the last one can be unfinished. A reply without a
    question (a greeting by the assistant) is a turn too."""
    turns: list[Turn] = []
    for message in messages:
        if message.role not in ("user", "assistant"):
            continue
        if message.role == "assistant":
            last = turns.pop() if turns else Turn((), ())
            turns.append(Turn(last.asked, (*last.replied, message)))
        elif turns and not turns[-1].replied:
            turns.append(Turn((*turns.pop().asked, message), ()))
        else:
            turns.append(Turn((message,), ()))
    return turns


def several_people(turns: Sequence[Turn]) -> bool:
    return len({message.person for turn in turns for message in turn.asked}) > 1


def render(turn: Turn, *, several: bool) -> str:
    """Return `User: …` and `Assistant: …` lines, with names if there are several people. Lines of a
    message that look like one of our fences are escaped."""
    lines = [f"{_user(message, several)}: {_fenced(message.text)}" for message in turn.asked]
    lines += [f"Assistant: {_fenced(message.text)}" for message in turn.replied]
    return "\n".join(lines)


def _user(message: Message, several: bool) -> str:
    return f"User ({message.speaker})" if several and message.person else "User"


def _fenced(text: str) -> str:
    return _FENCE.sub(r"\\", text) if "===" in text else text
