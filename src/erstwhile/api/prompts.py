"""`memory.prompts`: the prompts of a space or of a person."""

from __future__ import annotations

from typing import Annotated

from erstwhile.api import verb
from erstwhile.api.page import Page
from erstwhile.api.resource import Resource
from erstwhile.api.types import Conversation, PersonId, PromptName, Seq, Space, Text, Words
from erstwhile.configuration import prompts
from erstwhile.configuration.prompts import CurrentPrompt
from erstwhile.layers.preview import Preview, PromptTrial

Instructions = Annotated[
    str, Words("The prompt.", "Summarise in Korean, in at most five sentences.", least=1)
]


class Prompts(Resource, noun="prompts"):
    @verb.get("prompts")
    async def list(
        self, *, person: PersonId | None = None, space: Space = None
    ) -> Page[CurrentPrompt]:
        """List the current prompts of a person or of the space."""
        return Page(await self._read(space, lambda tx: prompts.listed(tx, person)))

    @verb.put("prompts/{name}")
    async def set(
        self,
        name: PromptName,
        instructions: Instructions,
        *,
        person: PersonId | None = None,
        space: Space = None,
    ) -> None:
        """Set a prompt for the space, or for one person in it. It takes effect with the next
        job."""
        now = self._now()
        await self._write(space, lambda tx: prompts.put(tx, name, instructions, person, now))

    @verb.delete("prompts/{name}", answer="reset")
    async def reset(
        self, name: PromptName, *, person: PersonId | None = None, space: Space = None
    ) -> bool:
        """Reset a prompt to the default. Returns whether another one was set."""
        return await self._write(space, lambda tx: prompts.drop(tx, name, person))

    @verb.post("channels/{channel}/preview", slow=True, refusals=(404, 502))
    async def preview(
        self,
        chat: Conversation,
        first: Seq,
        last: Seq,
        *,
        prompt: PromptName,
        instructions: Text | None = None,
    ) -> Preview:
        """Try a prompt on a range of messages. Shows its result beside what is stored; stores
        nothing.

        The prompt is summarise, condense (for a meta summary), extract, structure or fold. Without
        instructions, the current prompt is used. Its usage is recorded as `preview`."""
        trial = PromptTrial(chat.channel, first, last, prompt, instructions)
        return await self._runtime.previews.preview(chat.space, trial)
