"""People: what is known of them, what they asked to be remembered, and whether they are remembered at all."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from erstwhile.http.conversation import Door, Reads, Writes, routes
from erstwhile.http.openapi import told as may_answer
from erstwhile.http.shapes.answered import AllTold, Hits, People
from erstwhile.http.shapes.asked import DirectoryPage, PersonName, Portrait, SaidPage
from erstwhile.http.shapes.given import Blocked, Shares, Telling
from erstwhile.layers.remembered.model import Forgotten, Told
from erstwhile.log.people import Directory
from erstwhile.portraying import About

router = routes("people")


@router.get("/people", summary="List people")
async def people(space: Reads, memory: Door) -> People:
    """Everyone who ever spoke in a space, with the name they go by now."""
    return People(people=await memory.people(space=space))


@router.get("/directory", summary="Look through people")
async def directory(space: Reads, memory: Door, asked: Annotated[DirectoryPage, Query()]) -> Directory:
    """A page of the people of a space, whoever was heard of last first: with the names each went by, how many of their messages are kept,
    and when they said the last."""
    return await memory.directory(space=space, **dict(asked))


@router.get("/people/{person:id}", responses=may_answer(404, 502), summary="What is known of a person")
async def about(person: PersonName, space: Reads, memory: Door, asked: Annotated[Portrait, Query()]) -> About:
    """What they asked to be remembered, what they did today and in the days before, and their profile; by their id or name. With a
    `channel`, only what may be told there; with an `asker`, what they may hear; without either, everything. What is missing of the last
    days is made now, unless it need not be `fresh`."""
    return await memory.about(person, space=space, **dict(asked))


@router.post("/people/{person:id}/remember", responses=may_answer(502), summary="Remember something of a person")
async def remember(person: PersonName, space: Writes, memory: Door, body: Telling) -> Told:
    """Takes a fact into what is told of a person: newer wins, nothing else is lost. `by` is who says it, without one the app itself; what
    someone says of another stays their word. What is told in a private `channel` stays there."""
    return await memory.remember(person, body.fact, space=space, by=body.by, channel=body.channel)


@router.post("/people/{person:id}/forget", responses=may_answer(502), summary="Forget something of a person")
async def forget(person: PersonName, space: Writes, memory: Door, body: Telling) -> Forgotten:
    """Takes a fact out of what is told of a person, and says whether it was there. Of another, one takes back only one's own word."""
    return await memory.forget(person, body.fact, space=space, by=body.by, channel=body.channel)


@router.get("/people/{person:id}/told", summary="What is told of a person")
async def told(person: PersonName, space: Reads, memory: Door) -> AllTold:
    """For everyone in the space, then for each private channel."""
    return AllTold(told=await memory.told(person, space=space))


@router.get("/people/{person:id}/messages", responses=may_answer(404), summary="What a person said")
async def said(person: PersonName, space: Reads, memory: Door, asked: Annotated[SaidPage, Query()]) -> Hits:
    """Their own messages over all channels, the latest first."""
    return Hits(hits=await memory.said(person, space=space, before=asked.before, limit=asked.limit))


@router.put("/people/{person:id}/blocked", status_code=204, summary="Block or unblock a person")
async def block(person: PersonName, space: Writes, memory: Door, body: Blocked) -> None:
    """Of a blocked person nothing is kept, and nothing that is kept is recalled, until they are unblocked."""
    await (memory.block if body.blocked else memory.unblock)(person, space=space, by=body.by)


@router.put("/people/{person:id}/shares", status_code=204, summary="Whether a person shares what they said in private")
async def share(person: PersonName, space: Writes, memory: Door, body: Shares) -> None:
    """Whether what they said in private channels may be told in others. A channel's words are, once all its people share."""
    await memory.share(person, body.shares, space=space)
