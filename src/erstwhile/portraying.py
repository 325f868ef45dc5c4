"""The part of the door for what is known of a person."""

from __future__ import annotations

from erstwhile.door import Door


class Portraying(Door):
    pass
