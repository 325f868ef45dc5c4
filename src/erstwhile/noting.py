"""The part of the door for notes of conversations, the topics of a day, and the night's work."""

from __future__ import annotations

from erstwhile.door import Door


class Noting(Door):
    pass
