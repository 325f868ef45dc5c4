"""What every part of the remote door stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from erstwhile.client import paths
from erstwhile.client.transport import Call, Transport
from erstwhile.log import check


@dataclass(frozen=True, slots=True)
class Place:
    """Where a remote memory is. The server's other settings are the server's."""

    url: str
    space: str


class Part:
    settings: Place
    _http: Transport

    def _at(self, space: str | None, *segments: str) -> str:
        chosen = check.identifier("space", self.settings.space if space is None else space)
        return paths.path("spaces", chosen, *segments)

    async def _post(self, path: str, body: Mapping[str, Any] | None = None, *, slow: bool = False) -> Any:
        return await self._http.call(Call("POST", path, body=given(body or {}), slow=slow))

    async def _put(self, path: str, body: Mapping[str, Any]) -> None:
        await self._http.call(Call("PUT", path, body=given(body)))


def given(body: Mapping[str, Any]) -> dict[str, Any]:
    """What is None is left to the server."""
    return {name: value for name, value in body.items() if value is not None}


def several(channels: Sequence[str] | None) -> list[str] | None:
    """An address can't say "none of them": "" stands for what is for everyone anyway."""
    return None if channels is None else list(channels) or [""]


def listed(kinds: Sequence[str] | None) -> str | None:
    return None if kinds is None else ",".join(kinds)
