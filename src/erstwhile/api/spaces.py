"""`memory.spaces`: list, count and configure spaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

from erstwhile.api import verb
from erstwhile.api.resource import Resource
from erstwhile.api.types import Cursor, Limit, Number, OneOf, ParameterRule, Space
from erstwhile.base.page import DEFAULT, Page, cut
from erstwhile.configuration import encryption, model_check
from erstwhile.configuration import space as choices
from erstwhile.configuration.model_check import ModelCheck
from erstwhile.configuration.space import SettingChoice
from erstwhile.layers.rebuild import rebuild
from erstwhile.log import store as log
from erstwhile.search import flagged, space_counts
from erstwhile.search.space_counts import SpaceCounts
from erstwhile.storage import Transaction

Year = Annotated[
    int, Number("How many days to count one by one, including today; 0 is all time.", high=366)
]
ModelName = Annotated[str, ParameterRule(example="openai:gpt-5-nano")]
RecipeName = Annotated[str, ParameterRule(example="full")]
KeptDays = Annotated[str, ParameterRule(example="message=90")]
LeastRelevance = Annotated[str, ParameterRule(example="0.05")]
Role = Annotated[
    str, OneOf("Which of its models.", "light", choices=("light", "strong", "chat", "embedder"))
]

SettingsCheck = Callable[[Mapping[str, str], Mapping[str, str]], None]


class Spaces(Resource, noun="spaces"):
    @verb.get("spaces", scope=verb.SERVER)
    async def list(self, *, cursor: Cursor = None, limit: Limit = DEFAULT) -> Page[str]:
        """List every space that has messages, by name."""
        found = [each for each in await log.spaces(self._runtime.database) if each > (cursor or "")]
        return cut(found, limit, str)

    @verb.get("counts")
    async def counts(self, *, days: Year = 30, space: Space = None) -> SpaceCounts:
        """Count the messages, channels, people and memories of a space, in total and by day.

        `days` are the last days, including today; 0 is all time, in steps of a few days."""
        until = self._now()
        return await self._read(space, lambda tx: space_counts.counted(tx, until, days))

    @verb.get("flagged/counts", answer="counts")
    async def flags(self, *, space: Space = None) -> dict[str, int]:
        """Count the flagged memories that nobody has reviewed yet, by reason."""
        return await self._read(space, flagged.counts)

    @verb.patch("configuration")
    async def configure(
        self,
        *,
        model: ModelName | None = None,
        model_strong: str | None = None,
        chat_model: str | None = None,
        base_url: str | None = None,
        recipe: RecipeName | None = None,
        api_key: str | None = None,
        privacy: str | None = None,
        retention: KeptDays | None = None,
        floor: LeastRelevance | None = None,
        space: Space = None,
    ) -> None:
        """Set the settings of a space. Omitted settings stay; "" resets a setting to the default.
        An api_key is stored encrypted.

        Over HTTP, `base_url` needs an admin key; so does a model while the space has no api_key of
        its own, because the server's key is used: reset models together with their key."""
        models = (model, model_strong, chat_model, base_url)
        given = (*models, recipe, api_key, privacy, retention, floor)
        await self.put(dict(zip(choices.NAMES, given, strict=True)), space=space)

    async def put(
        self,
        given: Mapping[str, str | None],
        check: SettingsCheck | None = None,
        *,
        space: str | None = None,
    ) -> None:
        """Set settings as `configure` does. `check` is called with the space's own settings before
        and after, in the transaction: nothing is stored if it raises."""
        chosen = {name: value for name, value in given.items() if value is not None}
        values = {name: choices.checked(name, value) for name, value in chosen.items()}
        settings, now = self._memory.settings, self._now()
        if values.get("api_key"):
            secret = settings.secret_key.get_secret_value()
            values["api_key"] = encryption.encrypt(secret, values["api_key"])

        async def unit(tx: Transaction) -> None:
            before = await choices.own(tx)
            await choices.put(tx, values, settings, now)
            if check is not None:
                check(before, await choices.own(tx))
            if "retention" in values:
                await self._runtime.retention.wind(tx, now)

        await self._write(space, unit)
        await self._memory._drafts.ask_in(self._space(space))
        self._runtime.worker.wake()

    @verb.get("configuration")
    async def configuration(self, *, space: Space = None) -> Page[SettingChoice]:
        """List the effective settings of a space, and who set each. Of an api_key it only shows
        whether it is set."""
        return Page(choices.shown(await self._read(space, choices.own), self._memory.settings))

    @verb.post("models/try", slow=True)
    async def try_model(self, role: Role = "light", *, space: Space = None) -> ModelCheck:
        """Check a model of the space with one short question. Failures are returned, not raised.
        Usage is recorded as `try`."""
        writers, embedder = self._runtime.writers, self._runtime.embedder
        return await model_check.check_model(writers, embedder, self._space(space), role)

    @verb.post("rebuild", status=202, slow=True, repeatable=True)
    async def rebuild(self, *, space: Space = None) -> None:
        """Delete all derived memories of a space and make them again from the log, by `settle` or a
        worker."""
        runtime = self._runtime

        async def unit(tx: Transaction) -> None:
            recipe = await choices.recipe(tx) or self._memory.settings.recipe
            await rebuild(tx, runtime.layers, recipe, runtime.reindex, self._now())

        await self._write(space, unit)
        runtime.worker.wake()
