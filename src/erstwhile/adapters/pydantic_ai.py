"""Pydantic AI: a capability that adds the context to requests and stores the turn.

memories = MemoryCapability(memory.channel("support-42"), person="alice")
agent = Agent("openai:gpt-5-mini", capabilities=[memories])
await agent.run("Where do I live now?")
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, SystemPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import AgentDepsT
from pydantic_core import to_json

from erstwhile.adapters.items import storable_text
from erstwhile.api.channel import Channel


@dataclass
class MemoryCapability(AbstractCapability[AgentDepsT]):
    """The context is built once per run and sent with each request, but not added to the run's
    messages. It has the recent turns, so `message_history` is not needed."""

    chat: Channel
    person: str | None = None
    budget: int | None = None
    recipe: str | None = None
    _found: list[ModelMessage] = field(default_factory=list, init=False, repr=False)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> MemoryCapability[AgentDepsT]:
        del ctx
        return replace(self)  # concurrent runs have separate state

    async def before_run(self, ctx: RunContext[AgentDepsT]) -> None:
        asked = _asked(ctx)
        context = await self.chat.context(
            asked, person=self.person, budget=self.budget, recipe=self.recipe
        )
        self._found = [ModelRequest(parts=[SystemPromptPart(context.text)])] if context.text else []
        if asked:
            await self.chat.add("user", asked, person=self.person, key=_key(ctx, "asked"))

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        del ctx
        return replace(request_context, messages=[*self._found, *request_context.messages])

    async def after_run(
        self, ctx: RunContext[AgentDepsT], *, result: AgentRunResult[Any]
    ) -> AgentRunResult[Any]:
        output = result.output
        said = output if isinstance(output, str) else to_json(output, fallback=str).decode()
        model = ctx.model.model_name if ctx.model else None
        text, key = storable_text(said, "[no reply]"), _key(ctx, "said")
        await self.chat.add("assistant", text, model=model, key=key, meta={"run": ctx.run_id})
        return result


def _key(ctx: RunContext[Any], what: str) -> str | None:
    """Return a key, so that a repeated run with the same id stores its turn once."""
    return f"pydantic-ai:{ctx.run_id}:{what}" if ctx.run_id else None


def _asked(ctx: RunContext[Any]) -> str:
    prompt = ctx.prompt
    if prompt is None or isinstance(prompt, str):
        return storable_text(prompt or "", "")
    return storable_text("\n".join(each for each in prompt if isinstance(each, str)), "")
