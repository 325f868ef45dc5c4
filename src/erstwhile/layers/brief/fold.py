"""Choose the turns to fold into the brief, and write the input of the writer."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base.records import dataclass
from erstwhile.layers.brief.turns import Turn, render, several_people
from erstwhile.text import tokens


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


def before_the_tail(newest: Sequence[Turn], limits: Limits) -> int:
    """Return the last message before the turns that stay verbatim."""
    finished = [turn for turn in newest if turn.finished]
    return finished[-limits.keep].messages[0].seq - 1 if len(finished) >= limits.keep else 0


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


def question(existing: str, turns: Sequence[Turn]) -> str:
    """Return the writer's input, in the format that hosted prompts expect."""
    several = several_people(turns)
    rendered = [render(turn, several=several) for turn in turns]
    numbered = [f"Turn {number}:\n{turn}" for number, turn in enumerate(rendered, start=1)]
    return "\n".join(
        [
            "=== EXISTING_SUMMARY ===",
            existing or "NONE",
            "=== END_EXISTING_SUMMARY ===",
            "",
            "=== NEW_TURNS ===",
            "\n\n".join(numbered),
            "=== END_NEW_TURNS ===",
        ]
    )
