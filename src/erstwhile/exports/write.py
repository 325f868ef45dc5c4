"""Write the zip from one snapshot to a temporary file, verify it, then rename it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from functools import partial
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

from erstwhile.archive import backup, tables
from erstwhile.archive.model import EXPORT
from erstwhile.archive.writer import ArchiveWriter
from erstwhile.base.files import folder
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.exports import gather, rows
from erstwhile.exports.gather import Json
from erstwhile.exports.rows import FORMAT, ExportResult, ExportSubject, WithheldMemories
from erstwhile.storage import Database, Transaction, migrate
from erstwhile.tables.model import Table


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """Whose export to write, and of which tables."""

    of: ExportSubject
    visibility: Visibility
    tables: Sequence[Table]


async def export(
    database: Database, space: str, request: ExportRequest, to: Path, now: datetime
) -> ExportResult:
    of = request.of
    with ArchiveWriter(to) as pack:
        messages, memories, schema = await database.read(
            space, lambda tx: _write(tx, pack, request)
        )
        made = {"format": EXPORT, "version": FORMAT, "schema": schema, "at": now.isoformat()}
        counts = {"messages": messages, "memories": memories}
        manifest = {**made, "what": {"space": space, **of.what}, "counts": counts}
        await backup.finish(pack, manifest)
    return ExportResult(to, messages, memories)


async def _write(
    tx: Transaction, pack: ArchiveWriter, request: ExportRequest
) -> tuple[int, int, int]:
    of, visibility = request.of, request.visibility
    withheld = await gather.withheld_from(tx, of, visibility)
    about, settings = await gather.about(tx, of, withheld)
    if of.person is not None:
        about["withheld"] = await gather.count_unheard(tx, of, withheld)
    messages = await _lines(tx, pack, "messages.jsonl", gather.messages(tx, of))
    memories = await _lines(tx, pack, "memories.jsonl", gather.memories(tx, of, withheld))
    pack.put(f"{of.kind}.json", about)
    pack.put("settings.json", settings)
    layout = await tables.layout(tx)
    for chosen in rows.selections(layout, request.tables, of, withheld, tx.dialect):
        with backup.open_table(pack, chosen) as file:
            async for page in tables.pages(tx, chosen):
                await backup.put(tx, file, page, chosen)
    title = f"Everything of {next(iter(of.what.values()), tx.space)}"
    await write(tx, pack, ExportPages(title, of, about, withheld, messages + memories))
    return messages, memories, await migrate.applied(tx)


async def _lines(
    tx: Transaction, pack: ArchiveWriter, name: str, pages: AsyncIterator[list[Json]]
) -> int:
    def put(page: list[Json]) -> None:
        file.lines([json.dumps(line, ensure_ascii=False) for line in page])

    written = 0
    with pack.open_file(name) as file:
        async for each in pages:
            await backup.off_event_loop(tx, partial(put, each))
            written += len(each)
    return written


INDEX: Final = "index.html"
_ENTRIES: Final = 1000  # on one page


@dataclass(frozen=True, slots=True)
class ExportPages:
    """The subject of the pages. `count`: how many messages and memories there are."""

    title: str
    of: ExportSubject
    about: Json
    withheld: WithheldMemories
    count: int


async def write(tx: Transaction, pack: ArchiveWriter, told: ExportPages) -> None:
    top = head(told.title) + known(told.about)
    if told.count <= _ENTRIES:
        every = {"Memories": _memories(tx, told), "Messages": _messages(tx, told.of)}
        with pack.open_file(INDEX) as file:
            file.text(top)
            for title, pages in every.items():
                file.text(heading(title))
                async for entries in pages:
                    file.text("".join(entries))
            file.text(FOOT)
        return
    links = await _paged(pack, "memories", "Memories", _memories(tx, told))
    if told.of.kind == "space":
        for number, channel in enumerate(told.about["channels"], start=1):
            said = _messages(tx, ExportSubject(channel=channel["channel"]))
            links += await _paged(pack, f"channel-{number}", channel["channel"], said)
    else:
        links += await _paged(pack, "messages", "Messages", _messages(tx, told.of))
    with pack.open_file(INDEX) as file:
        file.text(top + heading("Pages"))
        file.text("".join(link(name, label) for name, label in links) + FOOT)


async def _paged(
    pack: ArchiveWriter, prefix: str, title: str, found: AsyncIterator[list[str]]
) -> list[tuple[str, str]]:
    """Write the pages and return the name and label of each."""
    links: list[tuple[str, str]] = []
    waiting: list[str] = []

    def write(entries: list[str], *, more: bool) -> None:
        number = len(links) + 1
        label = title if number == 1 and not more else f"{title}, page {number}"
        name = f"pages/{prefix}-{number}.html"
        with pack.open_file(name) as file:
            ways = [("../index.html", "All pages")]
            ways += [(f"{prefix}-{number - 1}.html", "Back")] if number > 1 else []
            ways += [(f"{prefix}-{number + 1}.html", "On")] if more else []
            file.text(head(label) + "".join(entries))
            file.text("".join(link(way, words) for way, words in ways) + FOOT)
        links.append((name, label))

    async for entries in found:
        waiting += entries
        while len(waiting) > _ENTRIES:
            write(waiting[:_ENTRIES], more=True)
            del waiting[:_ENTRIES]
    if waiting:
        write(waiting, more=False)
    return links


async def _memories(tx: Transaction, pages: ExportPages) -> AsyncIterator[list[str]]:
    async for memories in gather.memories(tx, pages.of, pages.withheld):
        yield [entry(f"{each['kind']} · {each['at'][:10]}", each["text"]) for each in memories]


async def _messages(tx: Transaction, of: ExportSubject) -> AsyncIterator[list[str]]:
    async for messages in gather.messages(tx, of):
        yield [_said(each) for each in messages]


def _said(message: Json) -> str:
    speaker = message.get("name") or message.get("person") or message["role"]
    return entry(f"{speaker} · {message['channel']} · {message['at'][:16]}", message["text"])


FOOT = "</body></html>\n"


def head(title: str) -> str:
    written = (folder("erstwhile.exports") / "head.html").read_text(encoding="utf-8")
    return Template(written).substitute(title=escape(title))


def heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>\n"


def entry(label: str, text: str) -> str:
    return f"<article><small>{escape(label)}</small><p>{escape(text)}</p></article>\n"


def known(about: dict[str, Any]) -> str:
    """Return what is remembered about a person, their profile and their days."""
    parts: list[str] = []
    if about.get("names"):
        parts.append(entry("Known as", ", ".join(each["name"] for each in about["names"])))
    if any(each["text"] for each in about.get("told", ())):
        told = (entry(each["audience"] or "everyone", each["text"]) for each in about["told"])
        parts += [heading("What was told"), *told]
    if any(about.get("profile", {}).values()):
        parts.append(heading("Profile"))
        for section, facts in about["profile"].items():
            for fact in facts:
                until = f" to {fact['valid_to'][:10]}" if fact["valid_to"] else ""
                parts.append(entry(f"{section} · {fact['at'][:10]}{until}", fact["text"]))
    if about.get("days"):
        parts += [heading("Days"), *(entry(each["day"], each["text"]) for each in about["days"])]
    return "".join(parts)


def link(to: str, words: str) -> str:
    return f'<p><a href="{escape(to)}">{escape(words)}</a></p>\n'
