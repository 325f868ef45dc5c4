"""What a space has of its own: prompts and settings."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from erstwhile.configuration.trying import Tried
from erstwhile.http import granting
from erstwhile.http.conversation import Called, Door, Reads, Writes, routes
from erstwhile.http.shapes.answered import Configuration, Prompts, Reset
from erstwhile.http.shapes.asked import Of, PromptName
from erstwhile.http.shapes.given import Choices, Instructions, ModelRole

router = routes("choices")


@router.get("/prompts", summary="List prompts")
async def prompts(space: Reads, memory: Door, asked: Annotated[Of, Query()]) -> Prompts:
    """Each prompt as it is in force for the person, or for the space."""
    return Prompts(prompts=await memory.prompts(space=space, person=asked.person))


@router.put("/prompts/{name:id}", status_code=204, summary="Set a prompt")
async def set_prompt(name: PromptName, space: Writes, memory: Door, body: Instructions) -> None:
    """Puts a prompt in place of ours, for the space or for one person in it, from the next piece of work on."""
    await memory.set_prompt(name, body.instructions, space=space, person=body.person)


@router.delete("/prompts/{name:id}", summary="Take a prompt back")
async def reset_prompt(name: PromptName, space: Writes, memory: Door, asked: Annotated[Of, Query()]) -> Reset:
    """Says whether there was one."""
    return Reset(reset=await memory.reset_prompt(name, space=space, person=asked.person))


@router.get("/configuration", summary="What is in force in a space")
async def configuration(space: Reads, memory: Door) -> Configuration:
    """Each setting a space can have, and whose choice it is. Of a key it says that there is one."""
    return Configuration(configuration=await memory.configuration(space=space))


@router.patch("/configuration", status_code=204, summary="Choose for a space")
async def configure(space: Writes, memory: Door, caller: Called, body: Choices) -> None:
    """From the next piece of work on. What is left out stays, "" takes a setting back. An api_key is sealed. `base_url`, which makes the
    server call an address, needs an admin key; a model does where the space has no api_key of its own, because the house then pays."""
    await granting.may_choose(caller, memory, space, body.model_dump(exclude_none=True))
    await memory.configure(space=space, **body.model_dump(exclude_none=True))


@router.post("/models/try", summary="Try a model")
async def try_model(space: Writes, memory: Door, body: ModelRole) -> Tried:
    """Really asks the model of the space one tiny question. What is wrong with it, and what to do, is in `detail`. Needs a key that may
    write, because the model is paid for; what it takes is recorded as `try`."""
    return await memory.try_model(body.role, space=space)
