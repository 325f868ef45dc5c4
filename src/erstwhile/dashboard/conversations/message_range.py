"""The messages of a conversation that a page shows, and the sources of a memory in words."""

from __future__ import annotations

from dataclasses import dataclass, replace

PAGE = 60  # messages at first
MOST = 180  # a page that follows what is said grows up to here, and from then on lets go of its oldest
_BEFORE = 20  # of what was said before the message that is looked for


@dataclass(frozen=True, slots=True)
class MessageRange:
    """Messages `first` to `last` of `size`. If it `follows`, it moves on with the conversation."""

    first: int
    last: int
    size: int
    follows: bool

    @property
    def older(self) -> int | None:
        """The last message of the page before."""
        return self.first - 1 if self.first > 1 else None

    @property
    def newer(self) -> int | None:
        """The first message of the page after."""
        return self.last + 1 if self.last < self.size else None

    def moved(self, size: int) -> MessageRange:
        """The range after the conversation went on."""
        if not self.follows:
            return replace(self, size=size)
        return MessageRange(max(self.first, size - MOST + 1), max(size, 1), size, True)


def message_range(size: int, *, around: int = 0, first: int = 0, last: int = 0) -> MessageRange:
    """Choose a range: around a message, from one on, up to one, or else the newest."""
    if around:
        first = max(1, min(around, max(size, 1)) - _BEFORE)
    elif last:
        end = max(1, min(last, size))
        return MessageRange(max(1, end - PAGE + 1), end, size, False)
    if not first:
        return MessageRange(max(1, size - PAGE + 1), max(size, 1), size, True)
    first = min(first, max(size, 1))
    return MessageRange(first, first + PAGE - 1, size, False)


def sources(first: int, last: int) -> str:
    """The value of data-sources; empty for what was added by hand."""
    if last < first:
        return ""
    return str(first) if first == last else f"{first}-{last}"


def messages(first: int, last: int) -> str:
    """The messages in words."""
    return f"message {first:,}" if first == last else f"messages {first:,}–{last:,}"
