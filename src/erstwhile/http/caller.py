"""The caller of a request and its permissions. The key decides the space."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Path, Request

from erstwhile.api.memory import Memory
from erstwhile.api.resource import in_space
from erstwhile.base.records import dataclass
from erstwhile.http.problems import Problem

# Paths that need no key.
OPEN = frozenset(
    {"/", "/healthz", "/readyz", "/docs", "/docs.js", "/docs.css", "/docs/guide", "/openapi.json"}
)
OPEN_BELOW = "/docs/guide/"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request. `space` None means every space. Without any keys, local callers are
    admin. A caller with a `person` came by a dashboard link and sees only what is known about them.
    """

    key: str = ""
    name: str = "api"
    space: str | None = None
    read_only: bool = False
    person: str | None = None

    @property
    def admin(self) -> bool:
        return self.space is None and not self.read_only and self.person is None

    def reads(self, space: str) -> str:
        if self.space not in (None, space):
            raise Problem(
                403, f"This key has no access to the space {space!r}. Use a key of that space."
            )
        return space

    def writes(self, space: str) -> str:
        if self.read_only:
            raise Problem(403, "This key is read-only. Use one that may write.")
        return self.reads(space)


async def caller(request: Request) -> Caller:
    """Return the authenticated caller (set by request_checks.py)."""
    return cast(Caller, request.state.caller)


CurrentCaller = Annotated[Caller, Depends(caller)]
SpaceName = Annotated[str, Path(description="The space.", max_length=512, examples=["my-app"])]


async def reads(space: SpaceName, caller: CurrentCaller) -> str:
    return caller.reads(space)


async def writes(space: SpaceName, caller: CurrentCaller) -> str:
    return caller.writes(space)


async def admin(caller: CurrentCaller) -> Caller:
    if not caller.admin:
        raise Problem(403, "This needs an admin key: `erstwhile keys create --admin`.")
    return caller


async def memory(request: Request) -> Memory:
    return cast(Memory, request.app.state.memory)


# Dependencies of routes: the space of the path, or its memory, if the caller may read or write
# there; an admin caller; the memory.
ReadableSpace = Annotated[str, Depends(reads)]
WritableSpace = Annotated[str, Depends(writes)]


async def readable_memory(request: Request, space: ReadableSpace) -> Memory:
    return in_space(await memory(request), space)


async def writable_memory(request: Request, space: WritableSpace) -> Memory:
    return in_space(await memory(request), space)


ReadableMemory = Annotated[Memory, Depends(readable_memory)]
WritableMemory = Annotated[Memory, Depends(writable_memory)]
AdminCaller = Annotated[Caller, Depends(admin)]
ServedMemory = Annotated[Memory, Depends(memory)]
