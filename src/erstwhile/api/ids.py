"""`memory.ids`: find an id by its first characters."""

from __future__ import annotations

from typing import Annotated

from erstwhile.api import verb
from erstwhile.api.page import Page
from erstwhile.api.resource import Resource
from erstwhile.api.types import Limit, Space, Words
from erstwhile.base import ids
from erstwhile.index import documents
from erstwhile.log import store as log
from erstwhile.memories import history
from erstwhile.requests import store as requests
from erstwhile.storage import Transaction

Prefix = Annotated[str, Words("The first characters of an id.", "fct_0123", least=1, most=64)]


class Ids(Resource, noun="ids"):
    @verb.get("ids/{prefix}", answer="ids")
    async def resolve(self, prefix: Prefix, *, limit: Limit = 10, space: Space = None) -> Page[str]:
        """List the ids that begin with these characters: of messages, of memories (also deleted
        ones), or of requests."""
        is_request = prefix.startswith("req_")
        kind = "request" if is_request else ids.kind_of(prefix)
        if is_request:
            await self._runtime.recorder.flush()
        stores = {"request": (requests,), "message": (log,)}.get(kind, (documents, history))
        last = ids.last_with(prefix)

        async def unit(tx: Transaction) -> set[str]:
            found = [await each.ids_from(tx, prefix, last, limit) for each in stores]
            return {id for some in found for id in some if id.startswith(prefix)}

        return Page(sorted(await self._read(space, unit))[:limit])
