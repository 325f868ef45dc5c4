"""The blocking door's verbs about people."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from erstwhile.archive.model import Backup
from erstwhile.by_hand import Conversation
from erstwhile.configuration.hearing import Audience
from erstwhile.exports.model import Exported
from erstwhile.layers.erasure.model import Erased, Receipt
from erstwhile.layers.notes.model import Buffer, Night, Note, NotedDay
from erstwhile.layers.profiles.model import Profile, ProfileFact
from erstwhile.layers.remembered.model import Forgotten, Told
from erstwhile.layers.retention.model import Expired
from erstwhile.log.listening import Listened
from erstwhile.log.model import Origin
from erstwhile.log.people import Directory, Person
from erstwhile.memory import Memory
from erstwhile.noting import NoteShown
from erstwhile.portraying import About

if TYPE_CHECKING:
    from erstwhile.client.memory import RemoteMemory

T = TypeVar("T")


class SyncPeople:
    _memory: Memory | RemoteMemory

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        raise AssertionError(f"the memory has it, not {work}")

    # Who is remembered, and who may hear what

    def people(self, *, space: str | None = None) -> list[Person]:
        return self._call(self._memory.people(space=space))

    def directory(
        self,
        *,
        space: str | None = None,
        people: Sequence[str] | None = None,
        named: str | None = None,
        skip: int = 0,
        limit: int = 50,
    ) -> Directory:
        return self._call(self._memory.directory(space=space, people=people, named=named, skip=skip, limit=limit))

    def block(self, person: str, *, space: str | None = None, by: str | None = None) -> None:
        self._call(self._memory.block(person, space=space, by=by))

    def unblock(self, person: str, *, space: str | None = None, by: str | None = None) -> None:
        self._call(self._memory.unblock(person, space=space, by=by))

    def share(self, person: str, shares: bool = True, *, space: str | None = None) -> None:
        self._call(self._memory.share(person, shares, space=space))

    def declare(
        self, chat: Conversation, privacy: str, *, people: Sequence[str] = (), title: str | None = None
    ) -> None:
        self._call(self._memory.declare(chat, privacy, people=people, title=title))

    def listen(
        self, chat: Conversation, on: bool = True, *, since: str = "", by: str = "", title: str | None = None
    ) -> None:
        self._call(self._memory.listen(chat, on, since=since, by=by, title=title))

    def listening(self, *, space: str | None = None) -> list[Listened]:
        return self._call(self._memory.listening(space=space))

    def heard(self, chat: Conversation, key: str) -> None:
        self._call(self._memory.heard(chat, key))

    def audited(self, chat: Conversation, key: str) -> None:
        self._call(self._memory.audited(chat, key))

    def audiences(
        self, *, space: str | None = None, declared: bool = False, after: str = "", limit: int = 100
    ) -> list[Audience]:
        return self._call(self._memory.audiences(space=space, declared=declared, after=after, limit=limit))

    def expiring(self, *, space: str | None = None) -> Expired:
        return self._call(self._memory.expiring(space=space))

    def expire(self, *, space: str | None = None) -> Expired:
        return self._call(self._memory.expire(space=space))

    def erase(
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
        which = {"person": person, "channel": channel, "message": message, "source": source}
        return self._call(self._memory.erase(space=space, everything=everything, by=by, **which))

    def origins(self, *, space: str | None = None, limit: int = 100) -> list[Origin]:
        return self._call(self._memory.origins(space=space, limit=limit))

    def receipts(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, limit: int = 100
    ) -> list[Erased]:
        return self._call(self._memory.receipts(space=space, person=person, channel=channel, limit=limit))

    def export(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, to: str | Path
    ) -> Exported:
        return self._call(self._memory.export(space=space, person=person, channel=channel, to=to))

    def backup(self, *, to: str | Path) -> Backup:
        return self._call(self._memory.backup(to=to))

    # What was told

    def remember(
        self, person: str, fact: str, *, space: str | None = None, by: str | None = None, channel: str | None = None
    ) -> Told:
        return self._call(self._memory.remember(person, fact, space=space, by=by, channel=channel))

    def forget(
        self, person: str, fact: str, *, space: str | None = None, by: str | None = None, channel: str | None = None
    ) -> Forgotten:
        return self._call(self._memory.forget(person, fact, space=space, by=by, channel=channel))

    def told(self, person: str, *, space: str | None = None) -> list[Told]:
        return self._call(self._memory.told(person, space=space))

    # Profiles

    def profile(self, person: str, *, space: str | None = None, ended: bool = False) -> Profile:
        return self._call(self._memory.profile(person, space=space, ended=ended))

    def add_to_profile(self, person: str, section: str, text: str, *, by: str, space: str | None = None) -> ProfileFact:
        return self._call(self._memory.add_to_profile(person, section, text, by=by, space=space))

    def import_profile(
        self, person: str, facts: Sequence[str | Mapping[str, Any]], *, by: str, space: str | None = None
    ) -> int:
        return self._call(self._memory.import_profile(person, facts, by=by, space=space))

    def export_profile(self, person: str, *, space: str | None = None) -> dict[str, Any]:
        return self._call(self._memory.export_profile(person, space=space))

    def delete_profile(self, person: str, *, by: str, space: str | None = None) -> int:
        return self._call(self._memory.delete_profile(person, by=by, space=space))

    # What is known of a person

    def about(
        self,
        person: str,
        *,
        space: str | None = None,
        channel: str | None = None,
        asker: str | None = None,
        fresh: bool = True,
        within: Sequence[str] | None = None,
    ) -> About:
        return self._call(
            self._memory.about(person, space=space, channel=channel, asker=asker, fresh=fresh, within=within)
        )

    # Notes and topics

    def notes(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        day: date | str | None = None,
        kind: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[Note]:
        return self._call(
            self._memory.notes(
                space=space, channel=channel, person=person, day=day, kind=kind, limit=limit, before=before
            )
        )

    def noted(
        self,
        since: date | str,
        until: date | str,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
    ) -> list[NotedDay]:
        return self._call(self._memory.noted(since, until, space=space, channel=channel, person=person))

    def note(self, id: str, *, space: str | None = None) -> NoteShown:
        return self._call(self._memory.note(id, space=space))

    def buffers(
        self, *, space: str | None = None, channel: str | None = None, limit: int | None = None
    ) -> list[Buffer]:
        return self._call(self._memory.buffers(space=space, channel=channel, limit=limit))

    def nightly(self, *, space: str | None = None) -> Night:
        return self._call(self._memory.nightly(space=space))
