"""The part of the remote door for taking everything of someone away, and for handing it out."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from erstwhile.archive import backup, reader
from erstwhile.archive.model import Backup
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.client.answers import read
from erstwhile.client.part import Part
from erstwhile.client.transport import Call, Turned
from erstwhile.exports.model import Exported
from erstwhile.layers.erasure.model import Erased, Receipt, alone
from erstwhile.log import check
from erstwhile.log.model import Origin

_PLACES = {"person": "people", "channel": "channels", "message": "messages", "source": "sources"}


class RemoteErasing(Part):
    async def erase(
        self,
        *,
        space: str | None = None,
        person: str | None = None,
        channel: str | None = None,
        message: str | None = None,
        source: str | None = None,
        everything: bool = False,
        by: str = "",
    ) -> Receipt:
        if everything:
            alone(person, channel, message, source)
            whole = Call("DELETE", self._at(space), {"everything": True, "by": by or None}, again=False, slow=True)
            return read(Receipt, await self._http.call(whole))
        # Again is harmless, but its receipt would count nothing.
        at = self._of(space, person=person, channel=channel, message=message, source=source)
        return read(Receipt, await self._http.call(Call("DELETE", at, {"by": by or None}, again=False, slow=True)))

    async def origins(self, *, space: str | None = None, limit: int = 100) -> list[Origin]:
        return read(list[Origin], await self._http.get(self._at(space, "sources"), limit=limit), "sources")

    async def receipts(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, limit: int = 100
    ) -> list[Erased]:
        asked = {"person": person, "channel": channel, "limit": limit}
        return read(list[Erased], await self._http.call(Call("GET", self._at(space, "receipts"), asked)))

    async def export(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, to: str | Path
    ) -> Exported:
        whole = person is None and channel is None
        of = self._at(space) if whole else self._of(space, person=person, channel=channel)
        await self._fetch(of + "/export", Path(to))
        with reader.open_archive(Path(to)) as found:
            memories = found.files["memories.jsonl"].rows
            return Exported(Path(to), found.files["messages.jsonl"].rows, memories)

    async def backup(self, *, to: str | Path) -> Backup:
        await self._fetch("/v1/backup", Path(to), private=True)
        return backup.describe(Path(to))

    async def _fetch(self, of: str, path: Path, *, private: bool = False) -> None:
        """Beside its place first; it is put there once all of it came, as its own digest says."""
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        try:
            handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666)
            with os.fdopen(handle, "wb") as file:
                async with self._http.stream(Call("GET", of, slow=True)) as response:
                    async for piece in response.aiter_bytes():
                        file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            try:
                with reader.open_archive(part):
                    pass
            except InvalidInput:
                raise Error("It did not come whole. Try again.") from None
            os.replace(part, path)
        except Turned as turned:
            raise turned.error from turned.__cause__
        except OSError as error:
            raise InvalidInput(
                f"{path} can't be written ({type(error).__name__}). Give a file in a folder that may be written."
            ) from None
        finally:
            part.unlink(missing_ok=True)

    def _of(self, space: str | None, **given: str | None) -> str:
        named = [(kind, name) for kind, name in given.items() if name is not None]
        if len(named) != 1:
            kinds = [f"a {kind}" for kind in given]
            raise InvalidInput(f"Name {', '.join(kinds[:-1])} or {kinds[-1]}, one of them.")
        kind, name = named[0]
        return self._at(space, _PLACES[kind], check.identifier(kind, name))
