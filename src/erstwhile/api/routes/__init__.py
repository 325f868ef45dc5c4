"""The routes, one file for each thing they are about."""

from erstwhile.api.chat import routes as chat
from erstwhile.api.routes import health, keys, messages

ROUTERS = (health.router, keys.router, messages.router, chat.router)
