"""The writer in force, with the extractive one behind it: when the model fails there is still a draft to read."""

from __future__ import annotations

from dataclasses import dataclass

from erstwhile.base.errors import Error, ModelError, SettingsError
from erstwhile.writers.port import Request, Writer, Written

_FAILED = (ModelError, SettingsError)


@dataclass(frozen=True, slots=True)
class Writers:
    best: Writer
    drafts: Writer

    async def summarise(self, request: Request) -> tuple[Written, Error | None]:
        try:
            return await self.best.summarise(request), None
        except _FAILED as error:
            return await self.drafts.summarise(request), error

    async def condense(self, request: Request) -> tuple[Written, Error | None]:
        try:
            return await self.best.condense(request), None
        except _FAILED as error:
            return await self.drafts.condense(request), error

    async def extract_facts(self, request: Request) -> tuple[Written, Error | None]:
        try:
            return await self.best.extract_facts(request), None
        except _FAILED as error:
            return await self.drafts.extract_facts(request), error

    async def structure(self, request: Request) -> tuple[Written, Error | None]:
        try:
            return await self.best.structure(request), None
        except _FAILED as error:
            return await self.drafts.structure(request), error

    async def fold(self, request: Request) -> tuple[Written, Error | None]:
        try:
            return await self.best.fold(request), None
        except _FAILED as error:
            return await self.drafts.fold(request), error

    async def close(self) -> None:
        await self.best.close()
        await self.drafts.close()
