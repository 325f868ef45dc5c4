"""The part of the remote door about people: who is remembered, what was told, what is known, profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from erstwhile.by_hand import Conversation
from erstwhile.client.answers import read
from erstwhile.client.part import Part, given, several
from erstwhile.client.transport import Call
from erstwhile.configuration.hearing import Audience
from erstwhile.layers.notes.model import Buffer, Night, Note, NotedDay
from erstwhile.layers.profiles.model import Profile, ProfileFact
from erstwhile.layers.remembered.model import Forgotten, Told
from erstwhile.layers.retention.model import Expired
from erstwhile.log.listening import Listened
from erstwhile.log.people import Directory, Person
from erstwhile.noting import NoteShown
from erstwhile.portraying import About


class RemotePeople(Part):
    # Who is remembered, and who may hear what

    async def people(self, *, space: str | None = None) -> list[Person]:
        return read(list[Person], await self._http.get(self._at(space, "people")), "people")

    async def directory(
        self,
        *,
        space: str | None = None,
        people: Sequence[str] | None = None,
        named: str | None = None,
        skip: int = 0,
        limit: int = 50,
    ) -> Directory:
        if people is not None and not people:
            return Directory([], 0)  # an address can't say "none of them"
        asked = {"people": None if people is None else list(people), "named": named, "skip": skip, "limit": limit}
        return read(Directory, await self._http.get(self._at(space, "directory"), **asked))

    async def block(self, person: str, *, space: str | None = None, by: str | None = None) -> None:
        await self._put(self._at(space, "people", person, "blocked"), {"blocked": True, "by": by})

    async def unblock(self, person: str, *, space: str | None = None, by: str | None = None) -> None:
        await self._put(self._at(space, "people", person, "blocked"), {"blocked": False, "by": by})

    async def share(self, person: str, shares: bool = True, *, space: str | None = None) -> None:
        await self._put(self._at(space, "people", person, "shares"), {"shares": shares})

    async def declare(
        self, chat: Conversation, privacy: str, *, people: Sequence[str] = (), title: str | None = None
    ) -> None:
        body = {"privacy": privacy, "people": list(people), "title": title}
        await self._put(self._at(chat.space, "channels", chat.channel, "privacy"), body)

    async def listen(
        self, chat: Conversation, on: bool = True, *, since: str = "", by: str = "", title: str | None = None
    ) -> None:
        body = {"on": on, "since": since, "by": by, "title": title}
        await self._put(self._at(chat.space, "channels", chat.channel, "listening"), body)

    async def listening(self, *, space: str | None = None) -> list[Listened]:
        return read(list[Listened], await self._http.get(self._at(space, "listening")), "listening")

    async def heard(self, chat: Conversation, key: str) -> None:
        await self._put(self._at(chat.space, "channels", chat.channel, "heard"), {"key": key})

    async def audited(self, chat: Conversation, key: str) -> None:
        await self._put(self._at(chat.space, "channels", chat.channel, "audited"), {"key": key})

    async def audiences(
        self, *, space: str | None = None, declared: bool = False, after: str = "", limit: int = 100
    ) -> list[Audience]:
        wanted = {"declared": declared, "after": after or None, "limit": limit}
        return read(list[Audience], await self._http.get(self._at(space, "audiences"), **wanted), "audiences")

    async def expiring(self, *, space: str | None = None) -> Expired:
        return read(Expired, await self._http.get(self._at(space, "expiring")))

    async def expire(self, *, space: str | None = None) -> Expired:
        return read(Expired, await self._post(self._at(space, "expire"), slow=True))

    # What was told

    async def remember(
        self, person: str, fact: str, *, space: str | None = None, by: str | None = None, channel: str | None = None
    ) -> Told:
        body = {"fact": fact, "by": by, "channel": channel}
        return read(Told, await self._post(self._at(space, "people", person, "remember"), body, slow=True))

    async def forget(
        self, person: str, fact: str, *, space: str | None = None, by: str | None = None, channel: str | None = None
    ) -> Forgotten:
        body = given({"fact": fact, "by": by, "channel": channel})
        # A second try would say that it was not there.
        call = Call("POST", self._at(space, "people", person, "forget"), body=body, again=False, slow=True)
        return read(Forgotten, await self._http.call(call))

    async def told(self, person: str, *, space: str | None = None) -> list[Told]:
        return read(list[Told], await self._http.get(self._at(space, "people", person, "told")), "told")

    # Profiles

    async def profile(self, person: str, *, space: str | None = None, ended: bool = False) -> Profile:
        return read(Profile, await self._http.get(self._at(space, "people", person, "profile"), ended=ended))

    async def add_to_profile(
        self, person: str, section: str, text: str, *, by: str, space: str | None = None
    ) -> ProfileFact:
        body = {"section": section, "text": text, "by": by}
        return read(ProfileFact, await self._post(self._at(space, "people", person, "profile"), body))

    async def import_profile(
        self, person: str, facts: Sequence[str | Mapping[str, Any]], *, by: str, space: str | None = None
    ) -> int:
        body = {"facts": [dict(each) if isinstance(each, Mapping) else each for each in facts], "by": by}
        # A second try would count nothing as new.
        call = Call("POST", self._at(space, "people", person, "profile", "import"), body=body, again=False)
        return read(int, await self._http.call(call), "imported")

    async def export_profile(self, person: str, *, space: str | None = None) -> dict[str, Any]:
        return read(dict[str, Any], await self._http.get(self._at(space, "people", person, "profile", "export")))

    async def delete_profile(self, person: str, *, by: str, space: str | None = None) -> int:
        call = Call("DELETE", self._at(space, "people", person, "profile"), {"by": by}, again=False)
        return read(int, await self._http.call(call), "deleted")

    # What is known of a person

    async def about(
        self,
        person: str,
        *,
        space: str | None = None,
        channel: str | None = None,
        asker: str | None = None,
        fresh: bool = True,
        within: Sequence[str] | None = None,
    ) -> About:
        asked = {"channel": channel, "asker": asker, "fresh": fresh, "within": several(within)}
        call = Call("GET", self._at(space, "people", person), asked, slow=True)
        return read(About, await self._http.call(call))

    # Notes and topics

    async def notes(
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
        wanted = {"channel": channel, "person": person, "day": day, "kind": kind, "limit": limit, "before": before}
        return read(list[Note], await self._http.get(self._at(space, "notes"), **wanted), "notes")

    async def noted(
        self,
        since: date | str,
        until: date | str,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
    ) -> list[NotedDay]:
        wanted = {"since": since, "until": until, "channel": channel, "person": person}
        return read(list[NotedDay], await self._http.get(self._at(space, "noted"), **wanted), "days")

    async def note(self, id: str, *, space: str | None = None) -> NoteShown:
        return read(NoteShown, await self._http.get(self._at(space, "notes", id)))

    async def buffers(
        self, *, space: str | None = None, channel: str | None = None, limit: int | None = None
    ) -> list[Buffer]:
        answer = await self._http.get(self._at(space, "buffers"), channel=channel, limit=limit)
        return read(list[Buffer], answer, "buffers")

    async def nightly(self, *, space: str | None = None) -> Night:
        return read(Night, await self._post(self._at(space, "nightly"), slow=True))
