"""Traits of a message that ranking weighs. They are found in its text when it is stored, and are bits of one number."""

from __future__ import annotations

from typing import Final

QUESTION: Final = 1  # it ends with a question mark
REPLY: Final = 2  # no person said it: it is an assistant's, a tool's or the system's
REQUEST: Final = 4  # a person says how they want something from now on
TRUST: Final = 16  # above the bits: the tier (`base.trust`), times this
