"""The routes, one file for each thing they are about."""

from erstwhile.api.routes import context, health, messages

ROUTERS = (health.router, messages.router, context.router)
