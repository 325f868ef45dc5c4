"""What a server tells those who watch it: figures for Prometheus, traces for OpenTelemetry, and nothing of what people said."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import erstwhile
from erstwhile.base import tracing
from erstwhile.http.app import create_app
from erstwhile.testing import Fault, ModelServer

CANARY = "heron-4711"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    tracing.tracer.cache_clear()
    yield exporter
    tracing.tracer.cache_clear()


def _figures(text: str) -> dict[str, float]:
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


async def _said(http: httpx2.AsyncClient, space: str = "s") -> None:
    path = f"/v1/spaces/{space}/channels/c"
    for text in (f"I keep a {CANARY} in the garden", "It eats the fish"):
        assert (await http.post(f"{path}/messages", json={"role": "user", "text": text, "person": CANARY})).is_success
    assert (await http.get(f"{path}/context", params={"query": CANARY})).is_success
    assert (await http.get(f"/v1/spaces/{space}/search", params={"q": CANARY})).is_success


async def test_figures_count_what_was_done(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    before = _figures((await http.get("/metrics")).text)
    await _said(http, space=CANARY)
    assert (await http.get(f"/{CANARY}/nowhere")).status_code == 404
    answer = await http.get("/metrics")
    after = _figures(answer.text)

    def grown(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert answer.headers["content-type"].startswith("text/plain")
    assert grown("erstwhile_messages_accepted_total") == 2
    assert grown("erstwhile_recall_seconds_count") == 2
    route = "/v1/spaces/{space}/channels/{channel}/messages"
    assert grown(f'erstwhile_http_requests_total{{method="POST",route="{route}",status="201"}}') == 2
    assert grown(f'erstwhile_http_seconds_count{{route="{route}"}}') == 2
    assert grown('erstwhile_http_requests_total{method="GET",route="none",status="404"}') == 1
    assert CANARY not in answer.text


async def test_figures_need_a_key_that_opens_every_space(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    reading = await memory.keys.create(admin=True, read_only=True)
    of_space = await memory.keys.create(space="s")
    for key, status in ((reading.key, 200), (of_space.key, 403), (f"{reading.key[:-3]}AAA", 401)):
        assert (await http.get("/metrics", headers={"Authorization": f"Bearer {key}"})).status_code == status
    assert (await http.get("/metrics")).status_code == 401


async def test_figures_of_the_queue_are_read_when_asked_for(database_url: str, clock: Any) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, chunk_size=2) as memory:
        for text in ("one", "two", "three"):
            await memory.channel("c").add("user", text)
        metrics = create_app(memory).state.metrics
        first = _figures((await metrics.text()).decode())
        assert first['erstwhile_jobs{state="waiting"}'] > 0
        clock.advance(seconds=90)
        await memory.settle()
        metrics._read_at = float("inf")  # a moment ago, as it were: within a second nothing is read again
        assert _figures((await metrics.text()).decode())['erstwhile_jobs{state="waiting"}'] > 0
        metrics._read_at = float("-inf")
        assert _figures((await metrics.text()).decode())['erstwhile_jobs{state="waiting"}'] == 0


async def test_figures_count_calls_of_the_model(prompted: erstwhile.Memory, model_server: ModelServer) -> None:
    metrics = create_app(prompted).state.metrics
    chat = prompted.channel("c")
    assert [piece async for piece in chat.ask("Hello?")]
    model_server.then(Fault.server_error())
    assert [piece async for piece in chat.ask("Hello again?")]
    found = _figures((await metrics.text()).decode())
    assert found['erstwhile_llm_calls_total{outcome="ok"}'] == 1
    assert found['erstwhile_llm_calls_total{outcome="unavailable"}'] == 1
    assert found['erstwhile_llm_tokens_total{direction="input"}'] > 0


async def test_a_trace_has_the_names_of_the_conventions(
    http: httpx2.AsyncClient, memory: erstwhile.Memory, spans: InMemorySpanExporter
) -> None:
    caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    message = {"role": "user", "text": f"I keep a {CANARY}"}
    await http.post("/v1/spaces/s/channels/c/messages", json=message, headers={"traceparent": caller})
    served, made = _by_name(spans, "POST /v1/spaces/{space}/channels/{channel}/messages", "create_memory")
    assert f"{served.context.trace_id:032x}" == f"{made.context.trace_id:032x}" == caller.split("-")[1]
    assert made.parent.span_id == served.context.span_id
    assert served.attributes["http.response.status_code"] == 201
    assert made.attributes["gen_ai.operation.name"] == "create_memory"
    assert made.attributes["gen_ai.memory.store.id"] == "s"
    assert made.attributes["gen_ai.memory.record.id"].startswith("msg_")

    fact = await memory.facts.add(memory.channel("c", "s"), "Keeps a heron.", by="me")
    await memory.memories.edit(fact.id, "Keeps two herons.", by="me", space="s")
    await memory.memories.delete(fact.id, by="me", space="s")
    await memory.remember("alice", "likes herons", space="s")
    edited, deleted, told = _by_name(spans, "update_memory", "delete_memory", "upsert_memory")
    assert edited.attributes["gen_ai.memory.record.id"] == deleted.attributes["gen_ai.memory.record.id"] == fact.id
    assert told.attributes["gen_ai.memory.record.id"].startswith("tld_")

    with pytest.raises(erstwhile.NotFound):
        await memory.memories.delete(fact.id, by="me", space="s")
    failed = spans.get_finished_spans()[-1]
    assert failed.attributes is not None
    assert failed.attributes["error.type"] == "NotFound"
    assert not failed.events  # its message stays out


async def test_what_people_said_is_traced_only_where_it_is_wanted(
    http: httpx2.AsyncClient, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _said(http)
    assert [span.name for span in spans.get_finished_spans()].count("search_memory") == 2
    assert CANARY not in "".join(span.to_json() for span in spans.get_finished_spans())
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    await http.get("/v1/spaces/s/search", params={"q": CANARY})
    (found,) = _by_name(spans, "search_memory")
    assert found.attributes["gen_ai.memory.query.text"] == CANARY


async def test_jobs_and_calls_of_a_model_are_traced_together(
    database_url: str, clock: Any, model_server: ModelServer, spans: InMemorySpanExporter
) -> None:
    async with erstwhile.open(
        database_url,
        clock=clock,
        worker=False,
        chunk_size=2,
        recipe="recall",
        model="openai-compatible:scripted",
        base_url=model_server.base_url,
        api_key="test-key",
    ) as memory:
        for text in (f"I keep a {CANARY}", "It eats fish", "Every day"):
            await memory.channel("c").add("user", text)
        await memory.settle()
    named = [span.name for span in spans.get_finished_spans()]
    call = next(span for span in spans.get_finished_spans() if span.name == "chat openai-compatible:scripted")
    assert any(name.startswith("job ") for name in named)
    assert call.parent is not None
    assert call.attributes is not None
    assert call.attributes["gen_ai.usage.input_tokens"]
    assert CANARY not in "".join(span.to_json() for span in spans.get_finished_spans())


def test_the_library_alone_loads_nothing_of_it(tmp_path: Path) -> None:
    script = """
import asyncio, sys, erstwhile
async def main():
    async with erstwhile.open(sys.argv[1], worker=False) as memory:
        await memory.channel("c").add("user", "hello")
        await memory.search("hello")
asyncio.run(main())
print(*[name for name in sys.modules if name.split(".")[0] in ("opentelemetry", "prometheus_client", "httpx2", "fastapi")])
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "test.db")], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def _by_name(spans: InMemorySpanExporter, *names: str) -> list[Any]:
    """The last of each name."""
    found = {span.name: span for span in spans.get_finished_spans()}
    return [found[name] for name in names]
