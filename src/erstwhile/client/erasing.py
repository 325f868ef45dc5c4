"""The part of the remote door for taking everything of someone away, and for handing it out."""

from __future__ import annotations

import json
import os
import secrets
import zipfile
from pathlib import Path

from erstwhile.base.errors import Error, InvalidInput
from erstwhile.client.answers import read
from erstwhile.client.part import Part
from erstwhile.client.transport import Call, Turned
from erstwhile.exports.model import Exported
from erstwhile.log import check
from erstwhile.log.model import Origin
from erstwhile.rooms.erasure.model import Receipt

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
        by: str = "",
    ) -> Receipt:
        # Again is harmless, but its receipt would count nothing.
        at = self._of(space, person=person, channel=channel, message=message, source=source)
        return read(Receipt, await self._http.call(Call("DELETE", at, {"by": by or None}, again=False, slow=True)))

    async def origins(self, *, space: str | None = None, limit: int = 100) -> list[Origin]:
        return read(list[Origin], await self._http.get(self._at(space, "sources"), limit=limit), "sources")

    async def export(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, to: str | Path
    ) -> Exported:
        path, call = Path(to), Call("GET", self._of(space, person=person, channel=channel) + "/export", slow=True)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        try:
            async with self._http.stream(call) as response:
                with part.open("xb") as file:
                    async for piece in response.aiter_bytes():
                        file.write(piece)
            with zipfile.ZipFile(part) as packed:
                counts = json.loads(packed.read("manifest.json"))["counts"]
            os.replace(part, path)
        except Turned as turned:
            raise turned.error from turned.__cause__
        except (zipfile.BadZipFile, KeyError):
            raise Error("The export did not come whole. Try again.") from None
        except OSError as error:
            raise InvalidInput(
                f"{path} can't be written ({type(error).__name__}). Give a file in a folder that may be written."
            ) from None
        finally:
            part.unlink(missing_ok=True)
        return Exported(path, counts["messages"], counts["memories"])

    def _of(self, space: str | None, **given: str | None) -> str:
        named = [(kind, name) for kind, name in given.items() if name is not None]
        if len(named) != 1:
            kinds = [f"a {kind}" for kind in given]
            raise InvalidInput(f"Name {', '.join(kinds[:-1])} or {kinds[-1]}, one of them.")
        kind, name = named[0]
        return self._at(space, _PLACES[kind], check.identifier(kind, name))
