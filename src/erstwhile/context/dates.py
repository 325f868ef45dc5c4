"""The dates of messages in a context: a day is named once, by its first line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from erstwhile.layers.part import Item
from erstwhile.log.model import Message
from erstwhile.text import tokens

# Tokens that a line takes less without its day.
SAVED = tokens.count("[2026-01-01 00:00]") - tokens.count("[00:00]")
_DAY = len("[2026-01-01")
_ELSEWHERE = "(in "


def stamp(said: Message) -> str:
    return f"[{said.at.isoformat(' ', 'minutes')[:16]}]"


def day(item: Item) -> str:
    """Return the day in front of a line, "" if there is none."""
    if item.said is None:
        return ""
    front, found, _ = item.text.partition(stamp(item.said))
    return found[:_DAY] if not front or front.startswith(_ELSEWHERE) else ""


def lines(items: Iterable[Item]) -> Iterator[str]:
    """Return the text of each; a message of the same day as the line above has only the time. It
    stays in brackets, so that a name is never at the beginning of a line."""
    above = ""
    for item in items:
        found = day(item)
        if found and found == above:
            yield item.text.replace(f"{found} ", "[", 1)
        else:
            yield item.text
        above = found
