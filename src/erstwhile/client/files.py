"""Files that a server sends: exports and backups."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from erstwhile.archive import reader
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.client.transport import Call, FailedAttempt, Transport


async def fetch(http: Transport, of: str, path: Path, *, private: bool = False) -> None:
    """Written beside its place first; it is put there once all of it came, as its own digest says."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666)
        with os.fdopen(handle, "wb") as file:
            async with http.stream(Call("GET", of, slow=True)) as response:
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
    except FailedAttempt as turned:
        raise turned.error from turned.__cause__
    except OSError as error:
        raise InvalidInput(
            f"{path} can't be written ({type(error).__name__}). Give a file in a folder that may be written."
        ) from None
    finally:
        part.unlink(missing_ok=True)
