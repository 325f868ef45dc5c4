"""The same door for scripts without async: each verb runs on an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from erstwhile.base.clock import Clock, utc_now
from erstwhile.by_hand import Conversation
from erstwhile.context.model import Context
from erstwhile.doctor import Finding
from erstwhile.history.store import Version
from erstwhile.jobs.model import ListedJob, QueueCount, Settled
from erstwhile.layers.backfill import Backfilled, Progress
from erstwhile.layers.facts.model import Fact
from erstwhile.layers.preview import Preview
from erstwhile.layers.regenerate import Regenerated
from erstwhile.layers.remembered.model import Commanded
from erstwhile.layers.structured.model import Change, Structured
from erstwhile.log.model import Known, Message, NewMessage
from erstwhile.memory import Channel, Memory
from erstwhile.memory import open as open_async
from erstwhile.requests.model import Advice, Report, Request, Why
from erstwhile.search.model import Hit, Source
from erstwhile.search.period import Time
from erstwhile.sync_keys import SyncKeys
from erstwhile.sync_looking import SyncLooking
from erstwhile.sync_people import SyncPeople

if TYPE_CHECKING:
    from erstwhile.client.channel import RemoteChannel
    from erstwhile.client.memory import RemoteMemory

T = TypeVar("T")


class Portal:
    """An event loop in a thread; `call` runs a coroutine there and waits for it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="erstwhile-portal", daemon=True)
        self._thread.start()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        self.call(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class SyncChannel:
    def __init__(self, channel: Channel | RemoteChannel, portal: Portal) -> None:
        self._channel = channel
        self._call = portal.call
        self.channel, self.space = channel.channel, channel.space

    def add(
        self,
        role: str,
        text: str,
        *,
        person: str | None = None,
        name: str | None = None,
        at: datetime | str | None = None,
        key: str | None = None,
        model: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Message:
        return self._call(
            self._channel.add(role, text, person=person, name=name, at=at, key=key, model=model, meta=meta)
        )

    def add_many(self, messages: Sequence[NewMessage | Mapping[str, Any]]) -> list[Message]:
        return self._call(self._channel.add_many(messages))

    def revise(self, key: str, text: str) -> Message | None:
        return self._call(self._channel.revise(key, text))

    def retract(self, keys: Sequence[str]) -> int:
        return self._call(self._channel.retract(keys))

    def size(self) -> int:
        return self._call(self._channel.size())

    def known(self, keys: Sequence[str]) -> Known:
        return self._call(self._channel.known(keys))

    def messages(self, after: int = 0, limit: int | None = None) -> Iterator[Message]:
        stream = self._channel.messages(after, limit)
        while (message := self._call(_next(stream))) is not None:
            yield message

    def context(
        self,
        query: str = "",
        *,
        person: str | None = None,
        budget: int | None = None,
        recipe: str | None = None,
        scope: str | None = None,
        trial: bool = False,
        within: Sequence[str] | None = None,
    ) -> Context:
        asked = {"person": person, "budget": budget, "recipe": recipe, "scope": scope, "trial": trial, "within": within}
        return self._call(self._channel.context(query, **asked))  # type: ignore[arg-type]

    def ask(
        self,
        query: str,
        *,
        person: str | None = None,
        name: str | None = None,
        model: str | None = None,
        system: str = "",
        sources: str = "",
        budget: int | None = None,
        recipe: str | None = None,
        key: str | None = None,
        within: Sequence[str] | None = None,
        keep: bool = True,
    ) -> Iterator[str]:
        stream = self._channel.ask(
            query,
            person=person,
            name=name,
            model=model,
            system=system,
            sources=sources,
            budget=budget,
            recipe=recipe,
            key=key,
            within=within,
            keep=keep,
        )
        while (piece := self._call(_next(stream))) is not None:
            yield piece

    def command(self, text: str, *, person: str | None = None, name: str | None = None) -> Commanded:
        return self._call(self._channel.command(text, person=person, name=name))


async def _next(stream: AsyncIterator[T]) -> T | None:
    return await anext(stream, None)


class SyncMemory(SyncPeople, SyncLooking, SyncKeys):
    """`with erstwhile.open_sync(…) as memory`, or `connect_sync`: either door, blocking."""

    def __init__(self, memory: Memory | RemoteMemory) -> None:
        self._memory = memory
        self._portal: Portal | None = None
        self.settings = memory.settings

    def __enter__(self) -> Self:
        self._portal = Portal()
        try:
            self._call(self._memory.__aenter__())
        except BaseException:  # whatever it was, the thread must not stay
            self._portal.close()
            self._portal = None
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        portal, self._portal = self._portal, None
        if portal is not None:
            portal.call(self._memory.__aexit__(kind, error, trace))
            portal.close()

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        if self._portal is None:
            work.close()
            raise RuntimeError("This memory is not open. Use `with erstwhile.open_sync(…) as memory:`.")
        return self._portal.call(work)

    def channel(self, channel: str, space: str | None = None) -> SyncChannel:
        if self._portal is None:
            raise RuntimeError("This memory is not open. Use `with erstwhile.open_sync(…) as memory:`.")
        return SyncChannel(self._memory.channel(channel, space), self._portal)

    def search(
        self,
        query: str,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        limit: int = 10,
        kinds: Sequence[str] | None = None,
        since: Time | None = None,
        until: Time | None = None,
        writer: str | None = None,
        trial: bool = False,
        within: Sequence[str] | None = None,
    ) -> list[Hit]:
        return self._call(
            self._memory.search(
                query,
                space=space,
                channel=channel,
                person=person,
                limit=limit,
                kinds=kinds,
                since=since,
                until=until,
                writer=writer,
                trial=trial,
                within=within,
            )
        )

    def requests(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        op: str | None = None,
        words: str = "",
        only: str | None = None,
        before: str | None = None,
        limit: int = 20,
    ) -> list[Request]:
        return self._call(
            self._memory.requests(
                space=space, channel=channel, person=person, op=op, words=words, only=only, before=before, limit=limit
            )
        )

    def why(self, request: str, *, space: str | None = None) -> Why:
        return self._call(self._memory.why(request, space=space))

    def complain(self, request: str, note: str = "", *, space: str | None = None) -> None:
        self._call(self._memory.complain(request, note, space=space))

    def report(self, *, space: str | None = None, days: int = 7) -> Report:
        return self._call(self._memory.report(space=space, days=days))

    def advise(self, *, space: str | None = None, days: int = 7) -> list[Advice]:
        return self._call(self._memory.advise(space=space, days=days))

    def sources(self, id: str, *, space: str | None = None) -> Source:
        return self._call(self._memory.sources(id, space=space))

    def settle(self) -> Settled:
        return self._call(self._memory.settle())

    def work(self) -> None:
        self._call(self._memory.work())

    def jobs(self, *, space: str | None = None, state: str | None = None, limit: int = 100) -> list[ListedJob]:
        return self._call(self._memory.jobs(space=space, state=state, limit=limit))

    def queue(self, *, space: str | None = None) -> list[QueueCount]:
        return self._call(self._memory.queue(space=space))

    def retry(self, job: str | None = None, *, space: str | None = None) -> int:
        return self._call(self._memory.retry(job, space=space))

    def park(self, job: str, reason: str, *, space: str | None = None) -> None:
        self._call(self._memory.park(job, reason, space=space))

    def rebuild(self, *, space: str | None = None) -> None:
        self._call(self._memory.rebuild(space=space))

    def history(self, id: str, *, space: str | None = None) -> list[Version]:
        return self._call(self._memory.history(id, space=space))

    def edit(self, id: str, text: str, *, by: str, space: str | None = None, expected: str | None = None) -> Version:
        return self._call(self._memory.edit(id, text, by=by, space=space, expected=expected))

    def delete(self, id: str, *, by: str, space: str | None = None, expected: str | None = None) -> Version:
        return self._call(self._memory.delete(id, by=by, space=space, expected=expected))

    def restore(self, id: str, *, by: str, space: str | None = None) -> Version:
        return self._call(self._memory.restore(id, by=by, space=space))

    def add_fact(self, chat: Conversation, text: str, *, by: str, person: str | None = None) -> Fact:
        return self._call(self._memory.add_fact(chat, text, by=by, person=person))

    def facts(
        self,
        chat: Conversation,
        *,
        category: str | None = None,
        min_importance: int | None = None,
        first: int | None = None,
        last: int | None = None,
        limit: int | None = None,
    ) -> list[Fact]:
        return self._call(
            self._memory.facts(
                chat, category=category, min_importance=min_importance, first=first, last=last, limit=limit
            )
        )

    def structured(
        self,
        *,
        space: str | None = None,
        person: str | None = None,
        type: str | None = None,
        valid: datetime | str = "now",
        open: bool = False,
        asker: str | None = None,
        limit: int = 100,
    ) -> list[Structured]:
        return self._call(
            self._memory.structured(
                space=space, person=person, type=type, valid=valid, open=open, asker=asker, limit=limit
            )
        )

    def changes(self, *, space: str | None = None, person: str | None = None) -> list[Change]:
        return self._call(self._memory.changes(space=space, person=person))

    def regenerate(
        self, chat: Conversation, first: int, last: int, what: str = "chunk", *, overwrite: bool = False
    ) -> Regenerated:
        return self._call(self._memory.regenerate(chat, first, last, what, overwrite=overwrite))

    def preview(
        self, chat: Conversation, first: int, last: int, *, prompt: str, instructions: str | None = None
    ) -> Preview:
        return self._call(self._memory.preview(chat, first, last, prompt=prompt, instructions=instructions))

    def undo_regenerate(self, chat: Conversation, made: Regenerated, *, by: str) -> int:
        return self._call(self._memory.undo_regenerate(chat, made, by=by))

    def realign(self, chat: Conversation) -> int:
        return self._call(self._memory.realign(chat))

    def backfill(self, *, space: str | None = None, progress: Progress | None = None) -> Backfilled:
        return self._call(self._memory.backfill(space=space, progress=progress))

    def doctor(self, *, space: str | None = None, quick: bool = False) -> list[Finding]:
        return self._call(self._memory.doctor(space=space, quick=quick))

    def configure(
        self,
        *,
        space: str | None = None,
        model: str | None = None,
        model_strong: str | None = None,
        chat_model: str | None = None,
        base_url: str | None = None,
        recipe: str | None = None,
        api_key: str | None = None,
        privacy: str | None = None,
        retention: str | None = None,
    ) -> None:
        self._call(
            self._memory.configure(
                space=space,
                model=model,
                model_strong=model_strong,
                chat_model=chat_model,
                base_url=base_url,
                recipe=recipe,
                api_key=api_key,
                privacy=privacy,
                retention=retention,
            )
        )


def open_sync(database: str | None = None, *, clock: Clock = utc_now, **settings: Any) -> SyncMemory:
    """Opens a memory for blocking code: `with erstwhile.open_sync("chat.db") as memory`."""
    return SyncMemory(open_async(database, clock=clock, **settings))


def connect_sync(url: str, *, key: str | None = None, space: str | None = None, patience: float = 30) -> SyncMemory:
    """The memory of a server, for blocking code: `with erstwhile.connect_sync("http://…", key=…) as memory`."""
    from erstwhile.client.memory import connect

    return SyncMemory(connect(url, key=key, space=space, patience=patience))
