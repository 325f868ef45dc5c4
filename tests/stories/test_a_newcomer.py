"""A newcomer, no key: the conversation that ships with the package goes in, and its questions can be answered (X1)."""

from __future__ import annotations

import erstwhile
from erstwhile import demo
from erstwhile.context.model import ContextSource
from erstwhile.text import tokens

BUDGET = 1500


async def test_the_demo_conversation_is_remembered(memory: erstwhile.Memory) -> None:
    conversation = demo.conversation()
    stored = {}
    for channel, messages in conversation.items():
        stored[channel] = await memory.channel(channel).add_many(messages)
    settled = await memory.settle()
    assert settled.done > 60  # a job for each chunk, and for notes, briefs, days and vectors
    assert (settled.waiting, settled.parked) == (0, 0)
    place = {f"{channel}/{message.key}": message.id for channel, messages in stored.items() for message in messages}

    some, whole = {}, {}
    for question in demo.questions():
        evidence = {place[each] for each in question.evidence}
        context = await memory.channel(question.channel).context(
            question.question, person=question.person, budget=BUDGET, recipe="full"
        )
        assert context.tokens == tokens.count(context.text) <= BUDGET
        # Said in so many words, or kept as the fact that was read from it; a summary of ten messages does not count.
        plain = [source for source in context.sources if source.kind in ("message", "fact")]
        hits = await memory.search(question.question, limit=10)
        seen = {id for each in (*plain, *hits) if each.kind in ("message", "fact") for id in _messages(each)}
        some[question.question] = bool(evidence & seen)
        whole[question.question] = evidence <= seen
    print(f"some evidence for {sum(some.values())}, all of it for {sum(whole.values())} of {len(some)}: {whole}")
    assert sum(some.values()) >= 7
    assert sum(whole.values()) >= 5
    for language in ("ko", "zh"):
        assert all(whole[each.question] for each in demo.questions() if each.language == language)


def _messages(found: ContextSource | erstwhile.Hit) -> tuple[str, ...]:
    return found.sources if isinstance(found, erstwhile.Hit) else found.messages


async def test_every_answer_can_be_traced_to_who_said_it_and_when(told: erstwhile.Memory) -> None:
    context = await told.channel("kitchen-table").context("Where is Mina living now?", person="robin")
    for source in context.sources:
        tree = await told.memories.sources(source.id)
        while tree.kind != "message":
            tree = tree.sources[0]
        assert tree.speaker
        assert tree.at.year == 2026


async def test_loading_it_twice_changes_nothing(memory: erstwhile.Memory) -> None:
    """Each message has a key, so a newcomer may run the demo again on the same file."""
    for _ in range(2):
        for channel, messages in demo.conversation().items():
            await memory.channel(channel).add_many(messages)
    assert sum([await memory.channel(channel).size() for channel in demo.conversation()]) == sum(
        map(len, demo.conversation().values())
    )
