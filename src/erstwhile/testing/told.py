"""What a sensible model would say to the prompts of the room told."""

from __future__ import annotations

from erstwhile.testing.calls import Call


def answer(call: Call) -> str | None:
    """None when the prompt is not one of this room's."""
    del call
    return None
