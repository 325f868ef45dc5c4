"""The routes that are written by hand: streams, files, entity tags, and what not every key may. The rest is in `verbs.py`."""

from erstwhile.http.chat import routes as chat
from erstwhile.http.routes import archive, context, events, health, keys, mcp, memories, messages, metrics, spaces

ROUTERS = (
    health.router,
    metrics.router,
    keys.router,
    messages.router,
    context.router,
    memories.router,
    archive.router,
    archive.whole,
    spaces.router,
    spaces.whole,
    spaces.of_channel,
    events.router,
    chat.router,
    mcp.router,
)
