"""`memory.jobs`, `.keys`, `.prompts` and `.ids`: what runs a memory, and who may call it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from erstwhile.api import verb
from erstwhile.api.resource import Resource
from erstwhile.api.types import (
    Conversation,
    Cursor,
    JobId,
    KeyId,
    Limit,
    OneOf,
    PersonId,
    PromptName,
    Seq,
    Space,
    Text,
    Words,
)
from erstwhile.base import ids
from erstwhile.base.errors import NotFound
from erstwhile.base.page import DEFAULT, Page, cut_at, number
from erstwhile.configuration import prompts
from erstwhile.configuration.prompts import CurrentPrompt
from erstwhile.index import documents
from erstwhile.jobs import store
from erstwhile.jobs.model import SHOWN, ListedJob, QueueCount
from erstwhile.jobs.worker import Worker
from erstwhile.keys.model import Key, NewKey
from erstwhile.keys.store import KeyStore, Sessions
from erstwhile.layers.preview import Preview, PromptTrial
from erstwhile.log import store as log
from erstwhile.memories import history
from erstwhile.requests import store as requests
from erstwhile.storage import EVERYWHERE, Transaction

State = Annotated[str, OneOf("Only jobs in this state.", choices=SHOWN)]
Reason = Annotated[str, Words("Why.", "The provider is down until Monday.")]
_LISTED = "`erstwhile jobs list` shows them."


class Jobs(Resource, noun="jobs"):
    @property
    def worker(self) -> Worker:
        """The worker of this process."""
        return self._runtime.worker

    @verb.get("jobs", scope=verb.ANY)
    async def list(
        self,
        *,
        state: State | None = None,
        cursor: Cursor = None,
        limit: Limit = DEFAULT,
        space: Space = None,
    ) -> Page[ListedJob]:
        """List the jobs of one space or of all. Timers (open conversations, the next nightly run)
        are listed with `state="timer"`."""
        now, start = self._now(), number(cursor)
        most = start + limit + 1
        found = await self._read(space, lambda tx: store.listed(tx, now, state=state, limit=most))
        return cut_at(found[start:], start, limit)

    @verb.get("queue", scope=verb.ANY)
    async def queue(self, *, space: Space = None) -> Page[QueueCount]:
        """Count the jobs that are not done, by state and kind."""
        now = self._now()
        return Page(await self._read(space, lambda tx: store.queue(tx, now)))

    @verb.post("jobs/retry", scope=verb.ANY, answer="retried", refusals=(404,), repeatable=True)
    async def retry(self, job: JobId | None = None, *, space: Space = None) -> int:
        """Make a job, or every parked job, due now. Returns how many."""
        now = self._now()
        count = await self._write(space, lambda tx: store.retry(tx, job, now))
        if job is not None and not count:
            raise NotFound(f"There is no waiting or parked job {job}. {_LISTED}")
        self._runtime.worker.wake()
        return count

    @verb.post("jobs/{job}/park", scope=verb.ANY, refusals=(404,), repeatable=True)
    async def park(self, job: JobId, reason: Reason = "", *, space: Space = None) -> None:
        """Park a job, with a reason, until it is retried."""
        now = self._now()
        if not await self._write(space, lambda tx: store.park(tx, job, reason, now)):
            raise NotFound(f"There is no waiting or running job {job}. {_LISTED}")

    def _space(self, space: str | None) -> str:
        return EVERYWHERE if space is None else super()._space(space)


class Keys(Resource, noun="keys"):
    @property
    def store(self) -> KeyStore:
        """The table of keys, for the server's authentication."""
        return self._runtime.keys

    @property
    def sessions(self) -> Sessions:
        """The dashboard's login sessions."""
        return self._runtime.sessions

    @verb.post("keys", scope=verb.ANY, routed=False)
    async def create(
        self,
        *,
        space: Space = None,
        admin: bool = False,
        name: str = "",
        read_only: bool = False,
        expires: datetime | str | None = None,
    ) -> NewKey:
        """Create a key for a space, or for all of them (admin). Its secret is shown only once.
        `expires` is a time, or a duration such as 30d."""
        place = self._of(space, admin=admin)
        return await self.store.create(place, name, read_only=read_only, expires=expires)

    @verb.get("keys", scope=verb.ANY, routed=False)
    async def list(self, *, space: Space = None, admin: bool = False) -> Page[Key]:
        """List the keys of a space or, as admin, all keys, including revoked ones."""
        return Page(await self.store.listed(self._of(space, admin=admin)))

    @verb.delete("keys/{id}", scope=verb.ANY, routed=False)
    async def revoke(self, id: KeyId, *, space: Space = None, admin: bool = False) -> None:
        """Revoke a key of the space or, as admin, any key. Every server refuses it within about a
        second."""
        await self.store.revoke(id, self._of(space, admin=admin))

    def _of(self, space: str | None, *, admin: bool) -> str | None:
        return None if admin else self._space(space)


Instructions = Annotated[
    str, Words("The prompt.", "Summarise in Korean, in at most five sentences.", least=1)
]


class Prompts(Resource, noun="prompts"):
    @verb.get("prompts")
    async def list(
        self, *, person: PersonId | None = None, space: Space = None
    ) -> Page[CurrentPrompt]:
        """List the current prompts of a person or of the space."""
        return Page(await self._read(space, lambda tx: prompts.listed(tx, person)))

    @verb.put("prompts/{name}")
    async def set(
        self,
        name: PromptName,
        instructions: Instructions,
        *,
        person: PersonId | None = None,
        space: Space = None,
    ) -> None:
        """Set a prompt for the space, or for one person in it. It takes effect with the next
        job."""
        now = self._now()
        await self._write(space, lambda tx: prompts.put(tx, name, instructions, person, now))

    @verb.delete("prompts/{name}", answer="reset")
    async def reset(
        self, name: PromptName, *, person: PersonId | None = None, space: Space = None
    ) -> bool:
        """Reset a prompt to the default. Returns whether another one was set."""
        return await self._write(space, lambda tx: prompts.drop(tx, name, person))

    @verb.post("channels/{channel}/preview", slow=True, refusals=(404, 502))
    async def preview(
        self,
        chat: Conversation,
        first: Seq,
        last: Seq,
        *,
        prompt: PromptName,
        instructions: Text | None = None,
    ) -> Preview:
        """Try a prompt on a range of messages. Shows its result beside what is stored; stores
        nothing.

        The prompt is summarise, condense (for a meta summary), extract, structure or fold. Without
        instructions, the current prompt is used. Its usage is recorded as `preview`."""
        trial = PromptTrial(chat.channel, first, last, prompt, instructions)
        return await self._runtime.previews.preview(chat.space, trial)


_RESOLVED = 10
Prefix = Annotated[str, Words("The first characters of an id.", "fct_0123", least=1, most=64)]


class Ids(Resource, noun="ids"):
    @verb.get("ids/{prefix}", answer="ids")
    async def resolve(self, prefix: Prefix, *, space: Space = None) -> Page[str]:
        """List the first ids that begin with these characters: of messages, of memories (also deleted
        ones), or of requests."""
        is_request = prefix.startswith("req_")
        kind = "request" if is_request else ids.kind_of(prefix)
        if is_request:
            await self._runtime.recorder.flush()
        stores = {"request": (requests,), "message": (log,)}.get(kind, (documents, history))
        last = ids.last_with(prefix)

        async def unit(tx: Transaction) -> set[str]:
            found = [await each.ids_from(tx, prefix, last, _RESOLVED) for each in stores]
            return {id for some in found for id in some if id.startswith(prefix)}

        return Page(sorted(await self._read(space, unit))[:_RESOLVED])
