"""The routes, one file for each thing they are about."""

from erstwhile.api.routes import health, mcp, messages

ROUTERS = (health.router, messages.router, mcp.router)
