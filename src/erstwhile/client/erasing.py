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
from erstwhile.rooms.erasure.model import Erased, Receipt, alone


class RemoteErasing(Part):
    async def erase(
        self,
        *,
        space: str | None = None,
        person: str | None = None,
        channel: str | None = None,
        everything: bool = False,
        by: str = "",
    ) -> Receipt:
        if everything:
            alone(person, channel)
            whole = Call("DELETE", self._at(space), {"everything": True, "by": by or None}, again=False, slow=True)
            return read(Receipt, await self._http.call(whole))
        # Again is harmless, but its receipt would count nothing.
        call = Call("DELETE", self._of(space, person, channel), {"by": by or None}, again=False, slow=True)
        return read(Receipt, await self._http.call(call))

    async def receipts(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, limit: int = 100
    ) -> list[Erased]:
        asked = {"person": person, "channel": channel, "limit": limit}
        return read(list[Erased], await self._http.call(Call("GET", self._at(space, "receipts"), asked)))

    async def export(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, to: str | Path
    ) -> Exported:
        path, call = Path(to), Call("GET", self._of(space, person, channel) + "/export", slow=True)
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

    def _of(self, space: str | None, person: str | None, channel: str | None) -> str:
        if (person is None) == (channel is None):
            raise InvalidInput("Name a person or a channel, one of the two.")
        if person is not None:
            return self._at(space, "people", check.identifier("person", person))
        return self._at(space, "channels", check.identifier("channel", channel))
