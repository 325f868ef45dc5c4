"""Text of people as lines of a prompt: nothing in it can pass for a line of its own."""

from __future__ import annotations

from erstwhile.base.later import late_pattern

# Text that only a model sees.
_UNSEEN = late_pattern("[\U000e0000-\U000e007f]")
# Of a fact: who said it, and when.
_LABEL = late_pattern(r"^(?:- )?[^:：]{1,80}[:：]\s*")
_BREAKS = late_pattern(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def flat(text: str) -> str:
    """Indent further lines of a message, so that none can pass for a heading or a speaker."""
    if text.isprintable():  # no line breaks, nothing unseen: as most are
        return text.strip()
    return _BREAKS.sub("\n    ", _UNSEEN.sub("", text).strip())


def one_line(text: str) -> str:
    if not text.isprintable():
        text = _BREAKS.sub(" ", _UNSEEN.sub("", text))
    elif "  " not in text:  # its only white space are single spaces: as in most
        return text.strip()
    return " ".join(text.split())


def unlabelled(text: str) -> str:
    """Remove the label in front, which names who said it and when."""
    return _LABEL.sub("", text, count=1)
