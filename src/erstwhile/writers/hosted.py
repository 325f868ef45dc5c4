"""A prompt stored at OpenAI, named by id and version, with its own instructions and model."""

from __future__ import annotations

import asyncio
from typing import Any

from erstwhile.base.errors import BadAnswer, Error, ModelUnavailable, RequestTooLong
from erstwhile.base.provider_errors import StatusFailure
from erstwhile.writers import answers, calls
from erstwhile.writers.port import Usage, WriterOutput, WriterRequest
from erstwhile.writers.providers import ModelChoice, ModelPool


async def fold(models: ModelPool, choice: ModelChoice, request: WriterRequest) -> WriterOutput:
    """Send the request's text as the only input and return the summary."""
    id, _, version = choice.hosted_fold.partition("@")
    named: Any = {"id": id, "version": version} if version else {"id": id}
    client = await asyncio.to_thread(models.openai_client)
    import openai

    failure: Error
    try:
        async with asyncio.timeout(choice.timeout):
            response = await client.responses.create(prompt=named, input=request.text, store=False)
    except (openai.APITimeoutError, TimeoutError):
        failure = ModelUnavailable(
            f"The hosted prompt {id} did not answer within {choice.timeout:g} seconds."
        )
    except openai.APIStatusError as error:
        address = "version (ERSTWHILE_BRIEF__PROMPT)"
        name, status = f"The hosted prompt {id}", error.status_code
        failure = StatusFailure(name, status, key="OPENAI_API_KEY", address=address).explain()
        if calls.too_long(error):
            failure = RequestTooLong(f"{name} finds the request too long.")
    except (openai.APIError, ValueError, TypeError):
        failure = ModelUnavailable(
            f"The hosted prompt {id} could not be reached, or answered with what can't be read."
        )
    else:
        text = answers.read_summary(response.output_text or "")
        used = Usage()
        if usage := response.usage:
            cached = usage.input_tokens_details.cached_tokens
            used = Usage(usage.input_tokens, usage.output_tokens, cached)
        if response.status not in (None, "completed"):
            raise BadAnswer(f"The hosted prompt {id} did not finish its answer.")
        writer = f"openai:{response.model}#{choice.hosted_fold}"
        return WriterOutput(text=text, writer=writer, draft=False, usage=used)
    raise failure  # outside of the except block: the provider's error quotes what was sent
