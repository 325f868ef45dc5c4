"""The writers of spaces: one per combination of settings, shared by all spaces that have it."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Generic, NoReturn, Protocol, TypeVar

from erstwhile.base.errors import SettingsError
from erstwhile.base.records import dataclass
from erstwhile.base.settings import Settings
from erstwhile.configuration import space as choices
from erstwhile.storage import Database
from erstwhile.writers.port import Writer, WriterOutput, WriterQuestion, WriterRequest
from erstwhile.writers.writers import Writers

if TYPE_CHECKING:
    from erstwhile.writers.chat import ChatModel

# Each has its own HTTP connections; beyond this number the least recently used is closed.
_MOST = 64
_Key = tuple[object, ...]
# Called with space, task and output, to record usage.
UsageListener = Callable[[str, str, WriterOutput], None]


class Closable(Protocol):
    async def close(self) -> None: ...


T = TypeVar("T", bound=Closable)
S = TypeVar("S")


class ClientPool(Generic[T]):
    """A cache of model clients by their settings."""

    def __init__(self, hire: Callable[[Settings], T]) -> None:
        self._hire = hire
        self._hired: OrderedDict[_Key, T] = OrderedDict()
        self._leaving: list[tuple[float, T]] = []

    def __len__(self) -> int:
        return len(self._hired)

    def get(self, settings: Settings) -> T:
        key = _key(settings)
        if key not in self._hired:
            self._hired[key] = self._hire(settings)
        self._hired.move_to_end(key)
        while len(self._hired) > _MOST:
            _, gone = self._hired.popitem(last=False)
            # It may be in use, so it is closed after the longest possible call.
            self._leaving.append((time.monotonic() + 2 * settings.model_timeout_seconds + 60, gone))
        return self._hired[key]

    async def let_go(self) -> None:
        now = time.monotonic()
        gone = [each for until, each in self._leaving if until <= now]
        self._leaving = [each for each in self._leaving if each[0] > now]
        for each in gone:
            await each.close()

    async def close(self) -> None:
        everyone = [*self._hired.values(), *(each for _, each in self._leaving)]
        self._hired.clear()
        self._leaving.clear()
        for each in everyone:
            await each.close()


@dataclass(frozen=True, slots=True)
class ModelBuilders:
    """Functions that create a writer and a chat model for settings."""

    drafts: Writer
    writer: Callable[[Settings], Writer]
    chat: Callable[[Settings], ChatModel]


class WriterPool:
    def __init__(
        self, database: Database, settings: Settings, hire: ModelBuilders, spent: UsageListener
    ) -> None:
        self._database, self.settings, self._spent = database, settings, spent
        self.drafts = hire.drafts
        self._writers, self._chats = ClientPool(hire.writer), ClientPool(hire.chat)
        self._writer(settings)  # fails early if the operator's settings can't work

    async def settings_for(self, space: str) -> Settings:
        """Return the effective settings of a space. They are read each time, because another
        process may have changed them."""
        chosen = await self._database.read(space, choices.own)
        return choices.effective(self.settings, choices.opened(chosen, self.settings))

    async def for_space(self, space: str) -> Writers:
        await self._writers.let_go()
        try:
            writer = self._writer(await self.settings_for(space))
        except SettingsError as error:
            writer = UnavailableWriter(error)
        return Writers(writer, self.drafts, partial(self._spent, space), self.settings.keep_secrets)

    async def chat_for(self, space: str) -> ChatModel:
        await self._chats.let_go()
        settings = await self.settings_for(space)
        if (settings.chat_model or settings.chosen_model) == "extractive":
            raise SettingsError(
                "There is no chat model. Set a provider's key, or ERSTWHILE_CHAT_MODEL and ERSTWHILE_BASE_URL; "
                "for this space alone, `erstwhile spaces set`."
            )
        return self._chats.get(settings)

    def _writer(self, settings: Settings) -> Writer:
        return self.drafts if settings.chosen_model == "extractive" else self._writers.get(settings)

    async def close(self) -> None:
        await self._chats.close()
        await self._writers.close()
        await self.drafts.close()


class UnavailableWriter:
    """Raises why there is no writer, so that a draft is made and the job keeps the reason."""

    draft = False

    def __init__(self, error: SettingsError) -> None:
        self._why = str(error)

    async def summarise(self, request: WriterRequest) -> NoReturn:  # noqa: ARG002
        raise SettingsError(self._why)

    condense = extract_facts = structure = fold = summarise

    async def answer(self, ask: WriterQuestion[S]) -> NoReturn:  # noqa: ARG002
        raise SettingsError(self._why)

    async def close(self) -> None:
        pass


def _key(settings: Settings) -> _Key:
    """Return what distinguishes writers. The API key is hashed."""
    secret = hashlib.sha256(settings.api_key.get_secret_value().encode()).hexdigest()
    models = tuple(sorted(settings.models.items()))
    named = settings.chosen_model, settings.model_strong, settings.chat_model, settings.brief.prompt
    return *named, models, settings.base_url, secret
