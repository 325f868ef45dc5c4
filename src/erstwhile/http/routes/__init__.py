"""Routes that are written by hand. `verbs.py` makes the rest."""

from erstwhile.http.chat import routes as chat
from erstwhile.http.routes import (
    archive,
    context,
    events,
    guide,
    health,
    keys,
    mcp,
    memories,
    messages,
)

ROUTERS = (
    *(each.router for each in (health, keys, messages, context, memories, archive)),
    archive.whole,
    *(each.router for each in (events, chat, mcp, guide)),
)
