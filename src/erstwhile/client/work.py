"""The part of the remote door for the server's work, and for what a space has chosen."""

from __future__ import annotations

from erstwhile.base.errors import InvalidInput
from erstwhile.client import paths
from erstwhile.client.answers import read
from erstwhile.client.part import Part, given
from erstwhile.client.transport import Call
from erstwhile.configuration.prompts import Shown
from erstwhile.configuration.space import Choice
from erstwhile.configuration.trying import Tried
from erstwhile.doctor import Finding
from erstwhile.jobs.model import ListedJob, QueueCount, Settled


class RemoteWork(Part):
    async def settle(self) -> Settled:
        """Runs everything that is due, at the server. Needs an admin key."""
        return read(Settled, await self._post(paths.path("settle"), slow=True))

    async def work(self) -> None:
        """Not from here: jobs are worked on where the database is."""
        raise InvalidInput("The server does the work. Where it doesn't, run `erstwhile worker` beside its database.")

    async def jobs(self, *, space: str | None = None, state: str | None = None, limit: int = 100) -> list[ListedJob]:
        """Of one space; of all with an admin key."""
        answer = await self._http.get(self._among(space), state=state, limit=limit)
        return read(list[ListedJob], answer, "jobs")

    async def queue(self, *, space: str | None = None) -> list[QueueCount]:
        """Of one space; of all with an admin key."""
        where = paths.path("queue") if space is None else self._at(space, "queue")
        return read(list[QueueCount], await self._http.get(where), "queue")

    async def retry(self, job: str | None = None, *, space: str | None = None) -> int:
        segments = ("retry",) if job is None else (job, "retry")
        return read(int, await self._post(self._among(space, *segments)), "retried")

    async def park(self, job: str, reason: str, *, space: str | None = None) -> None:
        await self._post(self._among(space, job, "park"), {"reason": reason})

    async def rebuild(self, *, space: str | None = None) -> None:
        await self._post(self._at(space, "rebuild"), slow=True)

    async def doctor(self, *, space: str | None = None, quick: bool = False) -> list[Finding]:
        call = Call("GET", self._at(space, "doctor"), {"quick": quick or None}, slow=True)
        return read(list[Finding], await self._http.call(call), "findings")

    def _among(self, space: str | None, *segments: str) -> str:
        """Jobs of all spaces are an admin's."""
        return paths.path("jobs", *segments) if space is None else self._at(space, "jobs", *segments)

    # Choosing

    async def prompts(self, *, space: str | None = None, person: str | None = None) -> list[Shown]:
        return read(list[Shown], await self._http.get(self._at(space, "prompts"), person=person), "prompts")

    async def set_prompt(
        self, name: str, instructions: str, *, space: str | None = None, person: str | None = None
    ) -> None:
        await self._put(self._at(space, "prompts", name), {"instructions": instructions, "person": person})

    async def reset_prompt(self, name: str, *, space: str | None = None, person: str | None = None) -> bool:
        call = Call("DELETE", self._at(space, "prompts", name), {"person": person}, again=False)
        return read(bool, await self._http.call(call), "reset")

    async def configure(
        self,
        *,
        space: str | None = None,
        model: str | None = None,
        model_strong: str | None = None,
        chat_model: str | None = None,
        base_url: str | None = None,
        recipe: str | None = None,
        api_key: str | None = None,
        privacy: str | None = None,
        retention: str | None = None,
    ) -> None:
        body = given(
            {
                "model": model,
                "model_strong": model_strong,
                "chat_model": chat_model,
                "base_url": base_url,
                "recipe": recipe,
                "api_key": api_key,
                "privacy": privacy,
                "retention": retention,
            }
        )
        await self._http.call(Call("PATCH", self._at(space, "configuration"), body=body))

    async def configuration(self, *, space: str | None = None) -> list[Choice]:
        return read(list[Choice], await self._http.get(self._at(space, "configuration")), "configuration")

    async def try_model(self, role: str = "light", *, space: str | None = None) -> Tried:
        call = Call("POST", self._at(space, "models", "try"), body={"role": role}, again=False, slow=True)
        return read(Tried, await self._http.call(call))
