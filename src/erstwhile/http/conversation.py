"""What most routes ask for: the conversation of their path, to read or to write, and who does it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute

from erstwhile.http import paths as paths  # the ids in paths
from erstwhile.http.caller import Called, Caller, Door, Reads, Writes
from erstwhile.http.shapes.asked import ChannelName
from erstwhile.memory import Channel

SPACE = "/v1/spaces/{space:id}"
CHANNEL = SPACE + "/channels/{channel:id}"


def _verb(route: APIRoute) -> str:
    return route.name


def routes(tag: str, prefix: str = SPACE) -> APIRouter:
    """Each route is called after the door's verb, also in the OpenAPI document."""
    return APIRouter(prefix=prefix, tags=[tag], generate_unique_id_function=_verb)


async def _heard(space: Reads, channel: ChannelName, memory: Door) -> Channel:
    return memory.channel(channel, space)


async def _spoken(space: Writes, channel: ChannelName, memory: Door) -> Channel:
    return memory.channel(channel, space)


Hears = Annotated[Channel, Depends(_heard)]
Speaks = Annotated[Channel, Depends(_spoken)]


def doer(by: str | None, caller: Caller) -> str:
    """Whoever is named; else the key."""
    return by if by is not None else caller.name or "api"


__all__ = ["CHANNEL", "SPACE", "Called", "Door", "Hears", "Reads", "Speaks", "Writes", "doer", "routes"]
