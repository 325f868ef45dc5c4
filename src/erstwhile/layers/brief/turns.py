"""Turns: what someone said and what the assistant replied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass
from erstwhile.log.model import Message
from erstwhile.text import tokens
from erstwhile.writers import halves

_FENCE = late_pattern(r"^(?=[^\S\n]*===)", re.MULTILINE)


@dataclass(frozen=True)
class Turn:
    """Messages of people, then the assistant's replies. Without replies it is not finished."""

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
    lines = []
    for message in turn.asked:
        name = f" ({message.speaker})" if several and message.person else ""
        lines.append(f"User{name}: {_fenced(message.text)}")
    lines += [f"Assistant: {_fenced(message.text)}" for message in turn.replied]
    return "\n".join(lines)


def _fenced(text: str) -> str:
    return _FENCE.sub(r"\\", text) if "===" in text else text


# Which turns to fold into the brief, and the input of the writer


@dataclass(frozen=True, slots=True)
class Limits:
    """`keep`: turns that stay verbatim. `threshold`: tokens of brief and turns that start a fold.
    `cap`: most tokens of the brief. `budget`: tokens of brief and turns in a context."""

    keep: int = 3
    threshold: int = 6000
    cap: int = 500
    budget: int = 3000


def due(brief: str, turns: Sequence[Turn], limits: Limits) -> list[Turn]:
    """Return the turns to fold now: all but the last `keep`, if the threshold is exceeded."""
    finished = [turn for turn in turns if turn.finished]
    if len(finished) <= limits.keep:
        return []
    if tokens.count(brief) + sum(turn.tokens for turn in finished) <= limits.threshold:
        return []
    return finished[: -limits.keep]


def slice_of(turns: Sequence[Turn], limits: Limits) -> list[Turn]:
    """Return the oldest turns, as many as fit one call: after an import there may be thousands."""
    taken: list[Turn] = []
    spent = 0
    for turn in turns:
        spent += turn.tokens
        if taken and spent > limits.threshold:
            break
        taken.append(turn)
    return taken


def divided(turns: Sequence[Turn]) -> tuple[list[Turn], list[Turn]] | None:
    """Divide turns in two: a single turn between its messages, a single message between its words."""
    half = len(turns) // 2
    if half:
        return list(turns[:half]), list(turns[half:])
    (turn,) = turns
    messages = turn.messages
    half = len(messages) // 2
    if half:
        first, second = messages[:half], messages[half:]
    else:
        (message,) = messages
        place = halves.middle(message.text)
        if not place:
            return None
        first = (replace(message, text=message.text[:place].rstrip()),)
        second = (replace(message, text=message.text[place:]),)
    return [_part(first)], [_part(second)]


def _part(messages: Sequence[Message]) -> Turn:
    asked = tuple(each for each in messages if each.role == "user")
    return Turn(asked, tuple(each for each in messages if each.role != "user"))


def question(existing: str, turns: Sequence[Turn], *, several: bool | None = None) -> str:
    """Return the writer's input, in the format that hosted prompts expect. `several`: whether
    people are named, if not only where there are several."""
    several = several_people(turns) if several is None else several
    rendered = [render(turn, several=several) for turn in turns]
    numbered = [f"Turn {number}:\n{turn}" for number, turn in enumerate(rendered, start=1)]
    known = f"=== EXISTING_SUMMARY ===\n{existing or 'NONE'}\n=== END_EXISTING_SUMMARY ==="
    new = "\n\n".join(numbered)
    return f"{known}\n\n=== NEW_TURNS ===\n{new}\n=== END_NEW_TURNS ==="
