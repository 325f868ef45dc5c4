"""The readable part of an export: one page, or where that would be a long one, pages that link to each other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from erstwhile.archive.writer import ArchiveWriter
from erstwhile.exports import gather, page
from erstwhile.exports.gather import Json
from erstwhile.exports.model import Of
from erstwhile.storage import Transaction

INDEX: Final = "index.html"
_ENTRIES: Final = 1000  # on one page


@dataclass(frozen=True, slots=True)
class ExportPages:
    """What the pages are of. `count`: how many messages and memories there are."""

    title: str
    of: Of
    about: Json
    withheld: Sequence[str]
    count: int


async def write(tx: Transaction, pack: ArchiveWriter, told: ExportPages) -> None:
    if told.count <= _ENTRIES:
        with pack.open_file(INDEX) as file:
            file.text(page.head(told.title) + page.known(told.about) + page.heading("Memories"))
            async for entries in _memories(tx, told):
                file.text("".join(entries))
            file.text(page.heading("Messages"))
            async for entries in _messages(tx, told.of):
                file.text("".join(entries))
            file.text(page.FOOT)
        return
    links = await _paged(pack, "memories", "Memories", _memories(tx, told))
    if told.of.kind == "space":
        for number, channel in enumerate(told.about["channels"], start=1):
            said = _messages(tx, Of(channel=channel["channel"]))
            links += await _paged(pack, f"channel-{number}", channel["channel"], said)
    else:
        links += await _paged(pack, "messages", "Messages", _messages(tx, told.of))
    with pack.open_file(INDEX) as file:
        file.text(page.head(told.title) + page.known(told.about) + page.heading("Pages"))
        file.text("".join(page.link(name, label) for name, label in links) + page.FOOT)


async def _paged(
    pack: ArchiveWriter, prefix: str, title: str, found: AsyncIterator[list[str]]
) -> list[tuple[str, str]]:
    """Says what each page is called, and how it is labelled."""
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
            file.text(page.head(label) + "".join(entries))
            file.text("".join(page.link(way, words) for way, words in ways) + page.FOOT)
        links.append((name, label))

    async for entries in found:
        waiting += entries
        while len(waiting) > _ENTRIES:
            write(waiting[:_ENTRIES], more=True)
            del waiting[:_ENTRIES]
    if waiting:
        write(waiting, more=False)
    return links


async def _memories(tx: Transaction, told: ExportPages) -> AsyncIterator[list[str]]:
    async for memories in gather.memories(tx, told.of, told.withheld):
        yield [page.entry(f"{each['kind']} · {each['at'][:10]}", each["text"]) for each in memories]


async def _messages(tx: Transaction, of: Of) -> AsyncIterator[list[str]]:
    async for messages in gather.messages(tx, of):
        yield [
            page.entry(
                f"{each.get('name') or each.get('person') or each['role']} · {each['channel']} · {each['at'][:16]}",
                each["text"],
            )
            for each in messages
        ]
