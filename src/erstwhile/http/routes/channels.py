"""Channels: which there are, and what was made of each."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from erstwhile.http.caller import Admin
from erstwhile.http.conversation import CHANNEL, SPACE, Called, Door, Hears, Reads, Speaks, doer, routes
from erstwhile.http.openapi import told
from erstwhile.http.shapes.answered import (
    AllListened,
    Audiences,
    Channels,
    ChannelSize,
    Facts,
    LatestBrief,
    Notes,
    Spaces,
    Summaries,
)
from erstwhile.http.shapes.asked import AudiencesAsked, ChannelNotes, ChannelsAsked, Counting, FactsAsked, Level
from erstwhile.http.shapes.given import GivenFact, HeardGiven, Line, ListeningGiven, Privacy
from erstwhile.layers.facts.model import Fact
from erstwhile.layers.remembered.model import Commanded
from erstwhile.looking import ChannelShown
from erstwhile.search.counted import Counted

everywhere = routes("messages", "/v1")
of_space = routes("messages", SPACE)
talk = routes("messages", CHANNEL)
made = routes("memories", CHANNEL)


@everywhere.get("/spaces", summary="List spaces")
async def spaces(_caller: Admin, memory: Door) -> Spaces:
    """Every space in which something was said. Needs an admin key."""
    return Spaces(spaces=await memory.spaces())


@of_space.get("/channels", summary="List channels")
async def channels(space: Reads, memory: Door, asked: Annotated[ChannelsAsked, Query()]) -> Channels:
    """The conversations of a space, with how many messages each has had."""
    return Channels(channels=await memory.channels(space=space, **dict(asked)))


@of_space.get("/audiences", summary="Who hears each channel")
async def audiences(space: Reads, memory: Door, asked: Annotated[AudiencesAsked, Query()]) -> Audiences:
    """By the channels' names, from the one after `after`: what was declared, and whether everyone in the space or only the channel's people
    may hear what is said there."""
    found = await memory.audiences(space=space, declared=asked.declared, after=asked.after, limit=asked.limit)
    return Audiences(audiences=found)


@of_space.get("/counts", summary="How much there is")
async def counts(space: Reads, memory: Door, asked: Annotated[Counting, Query()]) -> Counted:
    """Messages, channels, people and memories by kind, and what came on each of the last days (UTC)."""
    return await memory.counts(space=space, days=asked.days)


@talk.get("", summary="A channel's size")
async def size(chat: Hears) -> ChannelSize:
    """How many messages a channel has had; also the `seq` of its last one. One where nothing was said has 0."""
    return ChannelSize(space=chat.space, channel=chat.channel, size=await chat.size())


@talk.post("/command", responses=told(502), summary="Do what a line of talk asks")
async def command(chat: Speaks, body: Line) -> Commanded:
    """ "Remember that …", "forget that …", "what do you know about …". With intent `talk` it asked nothing of the kind, and nothing was
    done."""
    return await chat.command(body.text, person=body.person, name=body.name)


@talk.put("/privacy", status_code=204, summary="Say who hears a channel")
async def declare(chat: Speaks, memory: Door, body: Privacy) -> None:
    """What is said in a private or direct channel is told in another only where everyone who listens there hears this one too."""
    await memory.declare(chat, body.privacy, people=body.people, title=body.title)


@of_space.get("/listening", summary="Which channels are listened to")
async def listening(space: Reads, memory: Door) -> AllListened:
    """The channels of a chat platform of which something was chosen, or that were heard, with how far."""
    return AllListened(listening=await memory.listening(space=space))


@talk.put("/listening", status_code=204, summary="Listen to a channel, or no longer")
async def listen(chat: Speaks, memory: Door, body: ListeningGiven) -> None:
    """From the time `since` on or, without one, from its beginning. What was heard so far stays."""
    await memory.listen(chat, body.on, since=body.since, by=body.by, title=body.title)


@talk.put("/heard", status_code=204, summary="Note how far a channel was heard")
async def heard(chat: Speaks, memory: Door, body: HeardGiven) -> None:
    """Up to the message with this key; after a gap, a bot looks up what came after it."""
    await memory.heard(chat, body.key)


@talk.put("/audited", status_code=204, summary="Note how far a channel was compared again")
async def audited(chat: Speaks, memory: Door, body: HeardGiven) -> None:
    """With what stands on its platform, up to the message with this key; empty: to the end."""
    await memory.audited(chat, body.key)


@made.get("/outline", summary="A channel at a glance")
async def outline(chat: Hears, memory: Door) -> ChannelShown:
    """Its size, what was declared, when it was last heard of, and how many chunks, metas, facts and notes were made of it."""
    return await memory.outline(chat)


@made.get("/summaries", summary="List summaries")
async def summaries(chat: Hears, memory: Door, asked: Annotated[Level, Query()]) -> Summaries:
    """Chunks of the conversation (level 0) and the summaries made of them (1 and up), in order."""
    return Summaries(summaries=await memory.summaries(chat, **dict(asked)))


@made.get("/brief", summary="The brief")
async def brief(chat: Hears, memory: Door) -> LatestBrief:
    """The rolling summary of the conversation so far; null where none was made."""
    return LatestBrief(brief=await memory.brief(chat))


@made.get("/facts", summary="List facts")
async def facts(chat: Hears, memory: Door, asked: Annotated[FactsAsked, Query()]) -> Facts:
    """In order, with what each is about, how much it matters (1 to 5) and its links."""
    return Facts(facts=await memory.facts(chat, **dict(asked)))


@made.post("/facts", status_code=201, summary="Add a fact by hand")
async def add_fact(chat: Speaks, memory: Door, caller: Called, body: GivenFact) -> Fact:
    """A fact that nobody said; `person` is whom it is about. The same again, at the same place, changes nothing."""
    return await memory.add_fact(chat, body.text, by=doer(body.by, caller), person=body.person)


@made.get("/notes", responses=told(404), summary="List a channel's notes")
async def channel_notes(chat: Hears, memory: Door, asked: Annotated[ChannelNotes, Query()]) -> Notes:
    """Notes of its conversations and the topics they were put into, newest first."""
    found = await memory.notes(space=chat.space, channel=chat.channel, **dict(asked))
    return Notes(notes=found)
