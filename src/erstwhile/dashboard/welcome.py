"""The line about the dashboard that the server prints when it starts."""

from __future__ import annotations

from datetime import timedelta

from erstwhile.api.memory import Memory
from erstwhile.dashboard import paths
from erstwhile.keys.sessions import Session

_MINUTES = 15


async def line(memory: Memory, where: str, *, terminal: bool) -> str:
    """With a link that signs in once. Whoever reads this terminal may make a key as well.

    Logs get no link, unless no key was ever made and the machine is open anyway.
    """
    if not terminal and await memory.keys.store.any():
        return f"The dashboard: {where}/"
    token = await memory.keys.sessions.link(Session(), timedelta(minutes=_MINUTES))
    return f"The dashboard: {where}{paths.url(paths.LOGIN, link=token)} (signs in once, for {_MINUTES} minutes)"
