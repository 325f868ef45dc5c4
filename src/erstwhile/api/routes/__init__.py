"""The routes, one file for each thing they are about."""

from erstwhile.api.routes import events, health, keys, mcp, messages

ROUTERS = (health.router, keys.router, messages.router, events.router, mcp.router)
