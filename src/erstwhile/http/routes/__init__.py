"""Routes that are written by hand. `verbs.py` makes the rest."""

from erstwhile.http.chat import routes as chat
from erstwhile.http.routes import channel, events, mcp, memories, server

ROUTERS = (
    *(server.router, server.keys_router, channel.router, memories.router, memories.erasing),
    *(memories.whole, events.router, chat.router, mcp.router, server.guide),
)
