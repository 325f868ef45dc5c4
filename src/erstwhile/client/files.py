"""Download files from a server: exports and backups."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from erstwhile.archive import reader
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.client.transport import Call, FailedAttempt, Transport


async def fetch(http: Transport, of: str, path: Path, *, private: bool = False) -> None:
    """Download a file. It is written to a temporary name and renamed once its digest is
    verified."""
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
            raise Error("The download is incomplete. Try again.") from None
        os.replace(part, path)
    except FailedAttempt as turned:
        raise turned.error from turned.__cause__
    except OSError as error:
        raise InvalidInput(
            f"{path} can't be written ({type(error).__name__}). Choose a file in a writable folder."
        ) from None
    finally:
        part.unlink(missing_ok=True)
