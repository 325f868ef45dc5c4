"""The filter of Open WebUI, loaded and called as Open WebUI does: from its text, with the parameters that it names."""

from __future__ import annotations

import asyncio
import inspect
import re
import time
import types
from pathlib import Path
from typing import Any

import pytest

from support.hanging import HangingServer
from support.running import RunningServer
from support.serving import free_port

SOURCE = Path(__file__).parents[2] / "integrations" / "open-webui" / "erstwhile_memory.py"
USER = {"id": "u-1", "name": "Alice", "email": "alice@example.com", "role": "user"}


def loaded() -> Any:
    """Execute the text of the function in a new module, and make its Filter."""
    module = types.ModuleType("function_erstwhile")
    exec(compile(SOURCE.read_text(), str(SOURCE), "exec"), module.__dict__)
    return module.Filter()


async def call(found: Any, which: str, body: dict[str, Any], **more: Any) -> Any:
    handler = getattr(found, which)
    given = {"__user__": USER, "__metadata__": {"chat_id": body.get("chat_id")}, "__event_emitter__": None, **more}
    named = inspect.signature(handler).parameters
    return await handler(body=body, **{name: value for name, value in given.items() if name in named})


def body(chat: str, *messages: tuple[str, str]) -> dict[str, Any]:
    said = [{"id": f"{chat}-{n}", "role": role, "content": text} for n, (role, text) in enumerate(messages)]
    return {"chat_id": chat, "model": "llama", "messages": said}


async def stored(found: Any) -> None:
    """Wait until nothing is being stored."""
    while found.storing:
        await asyncio.wait(found.storing.values())


@pytest.fixture
def memory(server: RunningServer, request: pytest.FixtureRequest) -> Any:
    found = loaded()
    found.valves = found.Valves(url=server.url, space=request.node.name)
    return found


def test_open_webui_can_read_what_it_is() -> None:
    head = SOURCE.read_text().split('"""')[1]
    assert dict(re.findall(r"^(\w+): (.+)$", head, flags=re.MULTILINE)).keys() >= {"title", "version", "description"}


async def test_a_chat_is_stored_and_recalled_in_another(memory: Any, server: RunningServer) -> None:
    first = body("a", ("user", "I moved to Busan."))
    assert await call(memory, "inlet", first) == body("a", ("user", "I moved to Busan."))
    await call(memory, "outlet", body("a", ("user", "I moved to Busan."), ("assistant", "Noted.")))
    await call(memory, "outlet", body("a", ("user", "I moved to Busan."), ("assistant", "Noted.")))  # a second time
    await stored(memory)
    assert server.said("open-webui:a", memory.valves.space) == [("user", "I moved to Busan."), ("assistant", "Noted.")]
    assert server.messages("open-webui:a", memory.valves.space)[0]["name"] == "Alice"
    later = await call(memory, "inlet", body("b", ("system", "Be brief."), ("user", "Where do I live now?")))
    assert [each["role"] for each in later["messages"]] == ["system", "user"]
    assert later["messages"][0]["content"].startswith("Be brief.\n\n")
    assert "Busan" in later["messages"][0]["content"]


async def test_what_a_person_wants_from_every_answer_comes_with_every_question(memory: Any) -> None:
    await call(memory, "inlet", body("a", ("user", "Always answer in metric units.")))
    await call(memory, "outlet", body("a", ("user", "Always answer in metric units."), ("assistant", "I will.")))
    for _ in range(600):  # the server reads it in the background
        later = await call(memory, "inlet", body("b", ("user", "Who painted the ceiling of the Sistine Chapel?")))
        if "metric units" in later["messages"][0]["content"]:
            break
        await asyncio.sleep(0.1)
    assert "metric units" in later["messages"][0]["content"]


async def test_a_question_that_is_asked_of_two_models_is_stored_once(memory: Any, server: RunningServer) -> None:
    asked = {
        "chat_id": "a",
        "messages": [{"role": "user", "content": "Who is right?"}],
    }  # as 0.12 has it: without an id
    for _ in range(2):
        await call(memory, "inlet", dict(asked), __metadata__={"chat_id": "a", "user_message_id": "q-1"})
    await stored(memory)
    assert server.said("open-webui:a", memory.valves.space) == [("user", "Who is right?")]


async def test_pictures_are_left_out_and_words_kept(memory: Any, server: RunningServer) -> None:
    parts = [{"type": "text", "text": "My dog Rex"}, {"type": "image_url", "image_url": {"url": "data:x"}}]
    await call(memory, "inlet", {"chat_id": "a", "messages": [{"role": "user", "content": parts}]})
    await stored(memory)
    assert server.said("open-webui:a", memory.valves.space) == [("user", "My dog Rex")]


async def test_titles_and_temporary_chats_are_not_kept(memory: Any, server: RunningServer) -> None:
    await call(memory, "inlet", body("a", ("user", "x")), __metadata__={"chat_id": "a", "task": "title_generation"})
    await call(memory, "inlet", body("local:1", ("user", "between us")))
    await stored(memory)
    assert server.get(f"{memory.valves.space}/channels")["channels"] == []


async def test_a_chat_goes_on_without_a_server(caplog: pytest.LogCaptureFixture) -> None:
    found = loaded()
    found.valves.url = f"http://127.0.0.1:{free_port()}"
    given = body("a", ("user", "hello"))
    assert await call(found, "inlet", given) == body("a", ("user", "hello"))
    await stored(found)
    assert "no memory now" in caplog.text


@pytest.mark.parametrize("trickle", [False, True], ids=["silent", "a byte now and then"])
async def test_a_server_that_hangs_delays_a_chat_once(trickle: bool, caplog: pytest.LogCaptureFixture) -> None:
    found = loaded()
    with HangingServer(trickle=trickle) as hanging:
        found.valves = found.Valves(url=hanging.url, seconds=1.0)
        started = time.monotonic()
        await call(found, "inlet", body("a", ("user", "hello")))
        await call(found, "outlet", body("a", ("user", "hello"), ("assistant", "Hi.")))
        took = time.monotonic() - started
        await stored(found)
    assert 0.9 < took < 1.8
    assert caplog.text.count("no memory now") == 3, "of the context, the question and the reply"
