"""A chat exported by WhatsApp: text in the language, date format and time zone of a phone.

Messages have no id. The key is made from chat, minute, name and text, and a number among equal
ones. So a later export adds only what is new, whether an iPhone (which writes seconds) or an
Android phone made it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import field
from datetime import datetime
from functools import partial
from importlib.resources import files
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.base.recent import RecentItems
from erstwhile.base.records import dataclass
from erstwhile.importers import model, scan
from erstwhile.importers.scan import file, filled
from erstwhile.importers.whatsapp import lines
from erstwhile.log.model import NewMessage


def _phrases() -> dict[str, frozenset[str]]:
    """Read phrases.txt: sections in brackets, and phrases with bars between them."""
    found: dict[str, set[str]] = {}
    for line in files(__package__).joinpath("phrases.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), set())
        elif line and not line.startswith("#"):
            section.update(line.split(" | "))
    return {name: frozenset(phrases) for name, phrases in found.items()}


_OWN: Final = "\u200e"  # an iPhone writes this before its own phrases
_PHRASES: Final = _phrases()
_AT_THE_END = re.compile(r"(\u200e?)<([^<>\n]{4,60})>\Z")
# Android: IMG-1.jpg (file attached)
_ATTACHED = re.compile(r"\A([^\n<>/\\]{1,200}\.\w{1,8}) \(([^()\n]{3,40})\)(?:\n|\Z)")
_IN_ANGLES = re.compile(r"\A<[^<>:\n]{2,30}: ?([^<>\n]{1,200})>(?:\n|\Z)")  # iPhone: <attached: …>
_OMITTED = re.compile(r"\A<([^<>\n]{3,60})>(?:\n|\Z)")
# iPhone, a document left out: plan.pdf • 2 pages ‎document omitted
_DOCUMENT = re.compile(r"\A([^\n]{1,200}\.\w{1,8}) • ")
_SAVED = re.compile(r"\A(?:IMG|VID|AUD|PTT|STK|DOC|\w{1,4})-\d{8}-WA\d{4}\.\w{2,5}\Z")


@dataclass(frozen=True, slots=True)
class ChatText:
    """What is kept of a message. `same` does not depend on how files were exported and goes into
    the key. `left`: why nothing is kept."""

    text: str = ""
    same: str = ""
    edited: bool = False
    left: str = ""


def read(text: str, *, iphone: bool) -> ChatText:
    own = iphone and text.startswith(_OWN)
    text = text.strip(lines.MARKS + " \n")
    text, edited = _without_edited(text)
    whole = text.strip(lines.MARKS + " \n")
    if _plain(whole) in _PHRASES["deleted"]:
        return ChatText(left="deleted messages")
    media, rest = _media(whole, own)
    if media:
        rest = rest.strip(lines.MARKS + " \n")
        shown, same = ("\n".join(filter(None, (each, rest))) for each in (media, "[media]"))
        return ChatText(shown, same, edited)
    if own and "\n" not in whole and "http" not in whole:  # a poll has lines, a place an address
        return ChatText(left="messages of WhatsApp itself")
    if not whole:
        return ChatText(left="messages without words")
    return ChatText(whole, whole, edited)


def _plain(text: str) -> str:
    return text.strip(lines.MARKS + " .。").casefold()


def _without_edited(text: str) -> tuple[str, bool]:
    found = _AT_THE_END.search(text)
    if not found or _plain(found[2]) in _PHRASES["media"]:
        return text, False
    before = text[: found.start()].rstrip(" \n")
    edited = bool(before and (found[1] or _plain(found[2]) in _PHRASES["edited"]))
    return (before, True) if edited else (text, False)


def _media(text: str, own: bool) -> tuple[str, str]:
    """Return a label for the attachment, and the text sent with it."""
    attached = _ATTACHED.match(text)
    if attached:
        saved = attached[1].strip(lines.MARKS)
        if own or _SAVED.match(saved) or _plain(attached[2]) == "file attached":
            return file(saved), text[attached.end() :]
    named = _IN_ANGLES.match(text) if own else None
    if named:
        return file(named[1].strip(lines.MARKS)), text[named.end() :]
    omitted = _OMITTED.match(text)
    if omitted and _plain(omitted[1]) in _PHRASES["media"]:
        return "[media]", text[omitted.end() :]
    document = _DOCUMENT.match(text)
    if document and _OWN in text:
        return file(document[1]), ""
    short = "\n" not in text and len(text.split()) <= 4
    if own and short and _plain(text) not in _PHRASES["deleted"] and _is_left_out(text):
        return "[media]", ""
    return "", text


def _is_left_out(text: str) -> bool:
    """An iPhone names the kind: "image omitted", "Bild weggelassen"."""
    shown = text.casefold()
    return any(word in shown for word in _PHRASES["left out"])


_LONGEST: Final = 4 * 2**20  # characters of a message
_REMEMBERED: Final = 100_000  # messages among which equal ones are numbered
_CHAT = re.compile(r"(?:^|/)_chat\.txt$", re.IGNORECASE)
_TITLE = re.compile(
    r"(?:WhatsApp[ _-]*(?:chat|sohbet\w{0,20})[ _]*(?:with|mit|met|med|-)?"
    r"|Chat[ _](?:de[ _])?WhatsApp(?:[ _]con(?:[ _]el[ _]contacto)?|[ _]s[ _]uživatelem)?"
    r"|Conversa[ _](?:do|no)[ _]WhatsApp[ _]com|Discussion[ _]WhatsApp[ _]avec|Чат[ _]WhatsApp[ _]с(?:[ _]контактом)?)[ _-]+(.+)",
    re.IGNORECASE,
)
_COPY = re.compile(r" ?\(\d+\)$")


def _recognises(source: model.ImportSource) -> bool:
    return bool(_chats(source))


def _read(source: model.ImportSource) -> model.ReadItems:
    chats = _chats(source)
    if not chats:
        raise InvalidInput(
            f"{source.name} has no chat of WhatsApp: a text file with a date before every message. "
            "Give the file or zip that “Export chat” made."
        )
    for entry in chats:
        try:
            yield from _chat(entry, _channel(source, entry))
        except InvalidInput as error:
            if len(chats) == 1:
                raise
            yield model.ImportProblem(entry.name, str(error))
    others = len(source.entries) - len(chats)
    if others:
        yield model.SkippedItems("files beside the chat", others)


FORMAT = model.Format("whatsapp", _recognises, _read)


def _chats(source: model.ImportSource) -> list[model.SourceFile]:
    texts = [entry for entry in source.entries if entry.name.lower().endswith(".txt")]
    usual = re.compile(f"{_CHAT.pattern}|whatsapp", re.IGNORECASE)
    named = [entry for entry in texts if usual.search(entry.name)]
    dated = [entry for entry in named if _dated(entry, 30)]
    return dated or [entry for entry in texts[:50] if _dated(entry, 1)]


def _dated(entry: model.SourceFile, within: int) -> bool:
    first = [line for line in scan.head(entry).split("\n") if line.strip()][:within]
    return any(lines.begins(line) for line in first)


def _channel(source: model.ImportSource, entry: model.SourceFile) -> tuple[str, str]:
    """Return the channel and its title, from the name of the file, zip or folder."""
    if source.channel:
        return source.channel, ""
    for path in (entry.name, source.name):
        for part in reversed(path.split("/")):
            found = _TITLE.search(re.sub(r"\.(?:txt|zip)$", "", part, flags=re.IGNORECASE))
            title = _COPY.sub("", found[1]).strip(" _-" + lines.MARKS) if found else ""
            if title:
                return f"whatsapp:{title}", title
    folder = entry.name.rpartition("/")[0].rpartition("/")[2]
    own = re.sub(r"\.txt$", "", entry.name, flags=re.IGNORECASE)
    title = folder if _CHAT.search(entry.name) else own.rpartition("/")[2]
    if not title.strip():
        advice = "Give it a name with --channel."
        raise InvalidInput(f"{entry.name} does not say which chat it is. {advice}")
    return f"whatsapp:{title}", title


@dataclass(slots=True)
class _ChatReader:
    """State while one chat is read. `equal` counts messages that differ only in position."""

    entry: model.SourceFile
    channel: str
    title: str
    known: lines.ChatSurvey
    before: datetime | None = None
    backwards: int = 0
    first_backwards: int = 0
    equal: RecentItems[bytes, int] = field(default_factory=partial(RecentItems, _REMEMBERED))

    def where(self, line: int) -> str:
        return f"{self.entry.name}, line {line:,}"


def _chat(entry: model.SourceFile, channel: tuple[str, str]) -> model.ReadItems:
    known = lines.survey(entry)
    if known is None:
        question = "Is it a chat that WhatsApp exported?"
        raise InvalidInput(f"{entry.name} has no dates that are known. {question}")
    reading = _ChatReader(entry, *channel, known)
    if not known.sure:
        guess, other = ("day", "month") if known.order == "day" else ("month", "day")
        yield model.ImportProblem(
            entry.name,
            f"Whether the day or the month comes first ({known.example}) can't be told from this file. It was read "
            f"with the {guess} first. If the {other} comes first, erase what was imported and export the chat again "
            "with a date after the 12th of a month in it.",
        )
    said: lines.ChatEntry | None = None
    early = 0
    for line in lines.lines(entry):
        found = lines.begins(line.text)
        begun = found if found and found.style == known.style else None
        at = begun.at(known.order) if begun else None
        if begun is None or at is None:
            if begun:
                odd = "There is no such date or time. It was taken as text of the message above."
                yield model.ImportProblem(reading.where(line.number), odd)
            if said is None:
                early += 1
            else:
                said.add(line, _LONGEST)
            continue
        if said is not None:
            yield from _finished(reading, said, at)
        body = line.text[begun.length :]
        name, words = known.name_and_text(body) or (None, body)
        said = lines.ChatEntry(line.number, at, name, [])
        said.add(lines.RawLine(line.number, words, line.cut), _LONGEST)
    if said is not None:
        yield from _finished(reading, said, None)
    if early:
        yield model.SkippedItems("lines before the first message", early)
    if reading.backwards:
        yield model.ImportProblem(
            reading.where(reading.first_backwards),
            f"Time goes backwards here, and at {reading.backwards:,} places of the file in all. The clock was "
            "changed, or somebody's message has lines that look like messages. Everything was taken as it stands.",
        )


def _finished(
    reading: _ChatReader, said: lines.ChatEntry, after: datetime | None
) -> model.ReadItems:
    """Yield the message. The name is also the person's id: there is nothing else."""
    before, reading.before = reading.before, said.at
    where = reading.where(said.line)
    back = before is not None and said.at < before
    if back:
        reading.backwards += 1
        reading.first_backwards = reading.first_backwards or said.line
    if said.name is None:
        yield model.SkippedItems("messages of WhatsApp itself")
        return
    if said.cut:
        yield model.ImportProblem(
            where, f"The message is longer than {_LONGEST:,} characters. It was left out."
        )
        return
    kept = read("\n".join(said.parts), iphone=reading.known.style.end == "]")
    if kept.left:
        yield model.SkippedItems(kept.left)
        return
    once = reading.known.names[said.name] == 1
    if once and before is not None and (back or (after is not None and after < said.at)):
        yield model.ImportProblem(
            where,
            f"{said.name} writes only here, and the time does not fit what stands around it: it may be a line of the "
            "message above that looks like a message. It was taken as a message; erase it if it is none.",
        )
    meta = filled(title=reading.title, edited=kept.edited)
    key = _key(reading, said, kept.same)
    message = NewMessage("user", kept.text, said.name, said.name, said.at, key, meta=meta)
    yield model.ImportedMessage(reading.channel, message, where)


def _key(reading: _ChatReader, said: lines.ChatEntry, same: str) -> str:
    told = "\0".join((reading.channel, f"{said.at:%Y-%m-%dT%H:%M}", said.name or "", same))
    digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).digest()
    number = reading.equal.get(digest, 0) + 1
    reading.equal.put(digest, number)
    return f"whatsapp:{hashlib.sha256(digest + number.to_bytes(8)).hexdigest()[:40]}"
