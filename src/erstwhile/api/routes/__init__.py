"""The routes, one file for each thing they are about."""

from erstwhile.api.routes import events, health, messages

ROUTERS = (health.router, messages.router, events.router)
