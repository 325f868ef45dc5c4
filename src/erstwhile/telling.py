"""The part of the door for what someone asks to be remembered or forgotten."""

from __future__ import annotations

from erstwhile.door import Door


class Telling(Door):
    pass
