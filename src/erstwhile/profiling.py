"""The part of the door for profiles."""

from __future__ import annotations

from erstwhile.door import Door


class Profiling(Door):
    pass
