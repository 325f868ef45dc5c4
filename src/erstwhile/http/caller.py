"""Who asks, and what they may. A space comes from the credential; what the client names can only narrow it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Path, Request

from erstwhile.api.memory import Memory
from erstwhile.http.problems import Problem

# What is answered to whoever asks.
OPEN = frozenset({"/", "/healthz", "/readyz", "/docs", "/docs.js", "/docs.css", "/openapi.json"})


@dataclass(frozen=True, slots=True)
class Caller:
    """A key and what it opens; `space` None is every space. Where the server has no keys, whoever is on this machine is admin. With a
    `person`, only what is known about them: such a caller has a link to the dashboard and no key."""

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
            raise Problem(403, f"This key does not open the space {space!r}. Use a key of that space.")
        return space

    def writes(self, space: str) -> str:
        if self.read_only:
            raise Problem(403, "This key may only read. Use one that may write.")
        return self.reads(space)


async def caller(request: Request) -> Caller:
    """Who came through the gate; see entry.py. What is open to everyone is so without a caller."""
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


# What a route asks for: the space of its path, once the caller may read or write there; an admin; the memory.
ReadableSpace = Annotated[str, Depends(reads)]
WritableSpace = Annotated[str, Depends(writes)]
AdminCaller = Annotated[Caller, Depends(admin)]
ServedMemory = Annotated[Memory, Depends(memory)]
