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
    health.router,
    keys.router,
    messages.router,
    context.router,
    memories.router,
    archive.router,
    archive.whole,
    events.router,
    chat.router,
    mcp.router,
    guide.router,
)
