"""The routes, one file for each thing they are about."""

from erstwhile.api.routes import (
    channels,
    choices,
    context,
    health,
    memories,
    messages,
    metrics,
    notes,
    people,
    profiles,
    record,
    search,
    structured,
    work,
)

ROUTERS = (
    health.router,
    metrics.router,
    messages.router,
    context.router,
    channels.of_space,
    channels.talk,
    channels.made,
    memories.router,
    search.router,
    people.router,
    profiles.router,
    notes.router,
    structured.router,
    record.router,
    choices.router,
    work.of_channel,
    work.of_space,
    work.everywhere,
)
