"""Dependencies of the routes that are written by hand: the channel of the path."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends

from erstwhile.api.channel import Channel
from erstwhile.http.caller import CurrentCaller, ReadableSpace, ServedMemory, WritableSpace
from erstwhile.http.models import ChannelName
from erstwhile.http.verbs import actor_name

SPACE = "/v1/spaces/{space:id}"
CHANNEL = SPACE + "/channels/{channel:id}"


def routes(tag: str, prefix: str = SPACE) -> APIRouter:
    """Create a router whose operation ids are `<tag>_<verb>`."""
    return APIRouter(prefix=prefix, tags=[tag], generate_unique_id_function=lambda route: f"{tag}_{route.name}")


async def _read(space: ReadableSpace, channel: ChannelName, memory: ServedMemory) -> Channel:
    return memory.channel(channel, space)


async def _written(space: WritableSpace, channel: ChannelName, memory: ServedMemory) -> Channel:
    return memory.channel(channel, space)


ReadableChannel = Annotated[Channel, Depends(_read)]
WritableChannel = Annotated[Channel, Depends(_written)]

__all__ = [
    "CHANNEL",
    "SPACE",
    "CurrentCaller",
    "ReadableChannel",
    "ReadableSpace",
    "ServedMemory",
    "WritableChannel",
    "WritableSpace",
    "actor_name",
    "routes",
]
