"""Check a model by asking it one short question, or by letting it read a short conversation."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Final, NoReturn

from erstwhile.base.errors import BadAnswer, InvalidInput, ModelError, SettingsError
from erstwhile.base.records import dataclass
from erstwhile.configuration import prompts
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.embedders.port import Embedder
from erstwhile.writers import port
from erstwhile.writers.prompt import Prompt, Role
from erstwhile.writers.providers import preload

ROLES: Final = ("light", "strong", "chat", "embedder")
TASK: Final = "try"  # its usage is recorded under this task
PATIENCE: Final = 20.0  # seconds; a person waits for it, longer only with a longer time-out

_QUESTION: Final = "Are you there? Answer with the one word: yes"
_NO_MODEL: Final = (
    "No model is set, so memories are extractive drafts. Name a model and give its key here, or set a provider's key "
    "(OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY) where the server starts."
)
_NO_EMBEDDER: Final = (
    "There is no embedder: search uses words only. Set ERSTWHILE_EMBEDDER where the server starts."
)


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The result. `detail` is the model's answer, or what is wrong and what to do about it."""

    role: str
    model: str
    ok: bool
    ms: int
    detail: str
    input_tokens: int = 0
    output_tokens: int = 0


_SAID: Final = (
    ("Mina", "I moved to Lisbon in March, the flat has a balcony"),
    ("Tom", "nice! I need to renew my passport before June"),
    ("Mina", "I like olives, but I am allergic to walnuts"),
    ("Tom", "noted, no walnuts then"),
)


async def probe(pool: WriterPool, space: str) -> tuple[int, str]:
    """Let the space's model read a short conversation. Return how many of its memories hold, and
    what is wrong if none does. Raises where it gives no answer."""
    writers = await pool.for_space(space)
    patience = max(PATIENCE, (await pool.settings_for(space)).model_timeout_seconds / 3)
    lines = [port.TranscriptLine(speaker, text) for speaker, text in _SAID]
    wrong = "It found nothing to note."
    try:
        async with asyncio.timeout(patience):
            request = port.WriterRequest(prompts.default("structure"), lines)
            written = await writers.best.structure(request)
    except TimeoutError:
        wrong = f"It did not answer within {patience:g} seconds."
    except BadAnswer as error:
        wrong = str(error)
    else:
        writers.spent(TASK, written)
        return len(written.noted), "" if written.noted else wrong
    return 0, wrong


async def check_model(
    pool: WriterPool, embedder: Embedder | None, space: str, role: str
) -> ModelCheck:
    """Check a model of the space. Failures are returned, not raised."""
    if role not in ROLES:
        raise InvalidInput(f"Unknown role {role!r}. Use one of {', '.join(ROLES)}.")
    started = time.monotonic()
    found = ModelCheck(role, embedder.name if role == "embedder" and embedder else "", False, 0, "")
    try:
        settings = await pool.settings_for(space)
        named = {"strong": settings.model_strong, "chat": settings.chat_model}.get(role, "")
        if role != "embedder":
            found = replace(found, model=named or settings.chosen_model)
        if found.model not in ("", "extractive") and role != "embedder":
            await asyncio.to_thread(preload)
            started = time.monotonic()
        async with asyncio.timeout(PATIENCE):
            found = await _asked(pool, embedder, space, found)
    except TimeoutError:
        late = f"{found.model} did not answer within {PATIENCE:g} seconds. Check base_url and the network, or try again."
        found = replace(found, detail=late)
    except (ModelError, SettingsError) as error:
        found = replace(found, detail=str(error))
    return replace(found, ms=round((time.monotonic() - started) * 1000))


async def _asked(
    pool: WriterPool, embedder: Embedder | None, space: str, found: ModelCheck
) -> ModelCheck:
    if found.role == "embedder":
        if embedder is None:
            return replace(found, model="none", detail=_NO_EMBEDDER)
        vectors = await embedder.embed(["Are you there?"])
        return replace(found, ok=True, detail=f"A vector of {vectors.shape[1]} numbers.")
    if found.model == "extractive":
        return replace(found, detail=_NO_MODEL)
    writers = await pool.for_space(space)
    if found.role == "chat":
        asked = [{"role": "user", "content": _QUESTION}]
        reply = (await pool.chat_for(space)).reply(asked, model=None, cache_key="")
        said, usage = "".join([piece async for piece in reply]).strip(), reply.usage
    else:
        wanted: Role = "strong" if found.role == "strong" else "light"
        prompt = Prompt(TASK, "1", wanted, "Answer the question in one word.")
        question = port.WriterQuestion(prompt=prompt, text=_QUESTION, read=_said, draft=_never)
        answered = await writers.best.answer(question)
        said, usage = answered.value, answered.usage
    writers.spent(TASK, port.WriterOutput("", found.model, draft=False, usage=usage))
    found = replace(found, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
    return replace(found, ok=True, detail=said[:200])


def _said(answer: str) -> str:
    if not answer.strip():
        why = "The model answered with nothing."
        raise BadAnswer(f"{why} Choose another, or one that reasons less.")
    return answer.strip()


async def _never(_writer: port.Writer) -> NoReturn:
    raise AssertionError("a draft says nothing about a model")
