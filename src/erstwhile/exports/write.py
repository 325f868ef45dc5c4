"""The zip: written beside its place, page by page, and put there when it is whole."""

from __future__ import annotations

import json
import os
import secrets
import zipfile
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.exports import gather, page
from erstwhile.exports.model import FORMAT, Exported
from erstwhile.rooms.erasure.model import Subject
from erstwhile.storage import Database


async def export(database: Database, space: str, subject: Subject, to: Path, now: datetime) -> Exported:
    about, settings = await database.read(space, lambda tx: gather.about(tx, subject))
    part = to.with_name(f".{to.name}.{secrets.token_hex(4)}.part")
    try:
        with zipfile.ZipFile(part, "x", zipfile.ZIP_DEFLATED) as file:
            messages = await _lines(file, "messages.jsonl", gather.messages(database, space, subject))
            memories = await _lines(file, "memories.jsonl", gather.memories(database, space, subject))
            _put(file, "person.json" if subject.person is not None else "channel.json", about)
            _put(file, "settings.json", settings)
            await _page(file, database, space, subject, about)
            what = {"space": space, subject.kind: subject.name}
            counts = {"messages": messages, "memories": memories}
            _put(
                file,
                "manifest.json",
                {
                    "format": "erstwhile-export",
                    "version": FORMAT,
                    "at": now.isoformat(),
                    "what": what,
                    "counts": counts,
                },
            )
        os.replace(part, to)
    except OSError as error:
        raise InvalidInput(
            f"{to} can't be written ({type(error).__name__}). Give a file in a folder that may be written."
        ) from None
    finally:
        part.unlink(missing_ok=True)
    return Exported(to, messages, memories)


async def _lines(file: zipfile.ZipFile, name: str, pages: AsyncIterator[list[gather.Json]]) -> int:
    written = 0
    with file.open(name, "w", force_zip64=True) as stream:
        async for each in pages:
            stream.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in each).encode())
            written += len(each)
    return written


def _put(file: zipfile.ZipFile, name: str, told: Any) -> None:
    file.writestr(name, json.dumps(told, ensure_ascii=False, indent=2) + "\n")


async def _page(file: zipfile.ZipFile, database: Database, space: str, subject: Subject, about: gather.Json) -> None:
    with file.open("index.html", "w", force_zip64=True) as stream:
        stream.write(
            (page.head(f"Everything of {subject.name}") + page.known(about) + page.heading("Memories")).encode()
        )
        async for memories in gather.memories(database, space, subject):
            stream.write(
                "".join(page.entry(f"{each['kind']} · {each['at'][:10]}", each["text"]) for each in memories).encode()
            )
        stream.write(page.heading("Messages").encode())
        async for messages in gather.messages(database, space, subject):
            told = (
                page.entry(
                    f"{each.get('name') or each.get('person') or each['role']} · {each['channel']} · {each['at'][:16]}",
                    each["text"],
                )
                for each in messages
            )
            stream.write("".join(told).encode())
        stream.write(page.FOOT.encode())
