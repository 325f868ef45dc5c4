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
    name = f"The hosted prompt {id}"
    named: Any = {"id": id, "version": version} if version else {"id": id}
    client = await asyncio.to_thread(models.openai_client)
    import openai

    failure: Error
    try:
        async with asyncio.timeout(choice.timeout):
            response = await client.responses.create(prompt=named, input=request.text, store=False)
    except (openai.APITimeoutError, TimeoutError):
        why = f"did not answer within {choice.timeout:g} seconds"
        failure = ModelUnavailable(f"{name} {why}.")
    except openai.APIStatusError as error:
        address = "version (ERSTWHILE_BRIEF__PROMPT)"
        status = error.status_code
        failure = StatusFailure(name, status, key="OPENAI_API_KEY", address=address).explain()
        if calls.too_long(error):
            failure = RequestTooLong(f"{name} finds the request too long.")
    except (openai.APIError, ValueError, TypeError):
        why = "could not be reached, or answered with what can't be read"
        failure = ModelUnavailable(f"{name} {why}.")
    else:
        text = answers.read_summary(response.output_text or "")
        used = Usage()
        if usage := response.usage:
            cached = usage.input_tokens_details.cached_tokens
            used = Usage(usage.input_tokens, usage.output_tokens, cached)
        if response.status not in (None, "completed"):
            raise BadAnswer(f"{name} did not finish its answer.")
        writer = f"openai:{response.model}#{choice.hosted_fold}"
        return WriterOutput(text=text, writer=writer, draft=False, usage=used)
    raise failure  # outside of the except block: the provider's error quotes what was sent
