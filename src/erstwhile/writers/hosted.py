"""A prompt that lives at OpenAI, named by id and version: it brings its own instructions and its own model."""

from __future__ import annotations

import asyncio
from typing import Any

from erstwhile.base.errors import BadAnswer, Error, ModelRefused, ModelUnavailable
from erstwhile.writers import answers
from erstwhile.writers.port import Request, Usage, Written
from erstwhile.writers.providers import ModelChoice, Models


async def fold(models: Models, choice: ModelChoice, request: Request) -> Written:
    """The single input is the request's text; the answer's `output_text` is the summary."""
    id, _, version = choice.hosted_fold.partition("@")
    named: Any = {"id": id, "version": version} if version else {"id": id}
    client = await asyncio.to_thread(models.openai_client)
    import openai

    failure: Error
    try:
        async with asyncio.timeout(choice.timeout):
            response = await client.responses.create(prompt=named, input=request.text, store=False)
    except (openai.APITimeoutError, TimeoutError):
        failure = ModelUnavailable(f"The hosted prompt {id} did not answer within {choice.timeout:g} seconds.")
    except openai.APIStatusError as error:
        failure = _status(error.status_code, id)
    except (openai.APIError, ValueError, TypeError):
        failure = ModelUnavailable(f"The hosted prompt {id} could not be reached, or answered with what can't be read.")
    else:
        text = answers.read_summary(response.output_text or "")
        usage = response.usage
        used = (
            Usage(usage.input_tokens, usage.output_tokens, usage.input_tokens_details.cached_tokens)
            if usage
            else Usage()
        )
        if response.status not in (None, "completed"):
            raise BadAnswer(f"The hosted prompt {id} did not finish its answer.")
        return Written(text=text, writer=f"openai:{response.model}#{choice.hosted_fold}", draft=False, usage=used)
    raise failure  # out here, so that the provider's error, which quotes what was sent, is not chained to it


def _status(status: int, id: str) -> Error:
    if status in (408, 409, 425, 429) or status >= 500:
        return ModelUnavailable(f"The hosted prompt {id} can't answer now ({status}).")
    if status in (401, 403):
        return ModelRefused(
            f"OpenAI does not accept the key for the hosted prompt {id} ({status}). Check OPENAI_API_KEY."
        )
    return ModelRefused(
        f"The hosted prompt {id} was refused ({status}). Check ERSTWHILE_BRIEF__PROMPT: its id and version."
    )
