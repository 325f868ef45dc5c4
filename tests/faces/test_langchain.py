"""LangChain: our chat history beside LangChain's own, and in a real chain."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage

import erstwhile
from erstwhile.adapters.langchain import ErstwhileChatHistory
from erstwhile.base.errors import InvalidInput

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # where the database makes no difference

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from langchain_core.chat_history import InMemoryChatMessageHistory
    from langchain_core.runnables.history import RunnableWithMessageHistory

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainDeprecationWarning")

MESSAGES: list[BaseMessage] = [
    SystemMessage("Be brief."),
    HumanMessage("What is the weather in Busan?", name="Alice", id="h1"),
    AIMessage(
        "",
        tool_calls=[{"name": "weather", "args": {"city": "Busan"}, "id": "c1"}],
        response_metadata={"model": "scripted"},
        usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
    ),
    ToolMessage("rain\0\ud83d", tool_call_id="c1", artifact={"mm": 4.5}, status="success"),
    AIMessage([{"type": "text", "text": "It rains."}, {"type": "image_url", "image_url": {"url": "data:,"}}]),
    RemoveMessage(id="h1"),
]


async def test_it_does_what_langchains_own_history_does(memory: erstwhile.Memory) -> None:
    theirs: Any = InMemoryChatMessageHistory()
    ours = ErstwhileChatHistory(memory, "support", person="alice")
    for history in (theirs, ours):
        await history.aadd_messages(MESSAGES)
        await history.aadd_messages([])
    assert await ours.aget_messages() == await theirs.aget_messages() == MESSAGES
    for history in (theirs, ours):
        await history.aclear()
        await history.aadd_messages(MESSAGES[:2])
    assert await ours.aget_messages() == await theirs.aget_messages() == MESSAGES[:2]
    said = [(each.role, each.person, each.text) async for each in memory.channel("support").messages()]
    assert said[1] == ("user", "alice", "What is the weather in Busan?")
    assert said[2] == ("assistant", None, '[weather({"city": "Busan"})]')
    assert said[3][0] == "tool"


@on_sqlite
async def test_what_others_say_is_part_of_it(memory: erstwhile.Memory) -> None:
    await memory.channel("support").add("user", "Hello from elsewhere", name="Bob")
    (message,) = await ErstwhileChatHistory(memory, "support").aget_messages()
    assert message == HumanMessage("Hello from elsewhere", name="Bob")
    with pytest.raises(InvalidInput, match="open_sync"):
        ErstwhileChatHistory(memory, "support").clear()


@on_sqlite
async def test_in_a_chain(memory: erstwhile.Memory) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("Noted."), AIMessage("In Busan.")]))
    chain = RunnableWithMessageHistory(model, lambda session: ErstwhileChatHistory(memory, session))
    at: Any = {"configurable": {"session_id": "support"}}
    await chain.ainvoke([HumanMessage("I moved to Busan.")], at)
    assert (await chain.ainvoke([HumanMessage("Where do I live?")], at)).content == "In Busan."
    said = [each.text async for each in memory.channel("support").messages()]
    assert said == ["I moved to Busan.", "Noted.", "Where do I live?", "In Busan."]


@on_sqlite
def test_over_the_blocking_door(database_url: str) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("Noted.")]))
    with erstwhile.open_sync(database_url, worker=False) as memory:
        history = ErstwhileChatHistory(memory, "support")
        chain = RunnableWithMessageHistory(model, lambda _session: history)
        chain.invoke([HumanMessage("I moved to Busan.")], {"configurable": {"session_id": "support"}})
        assert [each.content for each in history.messages] == ["I moved to Busan.", "Noted."]
        history.clear()
        assert history.messages == []
