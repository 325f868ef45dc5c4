"""The OpenAPI document is what the server does: schemathesis makes requests of every kind, and each answer is as documented."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
import requests
import schemathesis
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.generation.case import Case
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from seeded import SPACE, fill

import erstwhile
from erstwhile.http.app import create_app
from soak.size import PIECE, SOAK

BASE = "http://127.0.0.1"
LONGEST = 60_000  # characters of an address: clients and servers take no longer ones
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = 200 if SOAK else 2  # of each operation
BOTH = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
TRIALS = [("sqlite", GenerationMode.NEGATIVE), ("postgres", GenerationMode.POSITIVE)]
if SOAK:
    TRIALS = [(database, mode) for database in ([PIECE] if PIECE else ["sqlite", "postgres"]) for mode in BOTH]
# They have a suite of their own: they never end, or talk to a model.
ELSEWHERE = r"/events|/ask|/v1/chat|/v1/responses|/v1/messages|/v1/models|/mcp"
# What no column of a database holds, as it is, and what looks like something else.
ODD = ["a\0b", " ", "a/b", "' OR 1=1--", "\uffff", "x" * 600, "9" * 40, "{}", "*", "%ff"]


async def ids(memory: erstwhile.Memory) -> dict[str, list[str]]:
    """What really is there, so that not everything is 404."""
    chat = await fill(memory)
    await chat.context("Where does alice live?")
    await memory.remember("alice", "goes by Ally", space=SPACE)
    await chat.add_many([{"role": "user", "text": "and one more", "person": "bob"}] * 10)  # with work that waits
    await chat.add_many(
        [{"role": "user", "text": "Hm.", "key": key, "meta": {"source": "import:old.txt"}} for key in ("k1", "k2")]
    )
    return {
        "space": [SPACE],
        "channel": ["chat"],
        "person": ["alice", "bob"],
        "id": [each.id for each in await memory.memories.list(space=SPACE)]
        + [each.id async for each in chat.messages(limit=3)]
        + [each.id for each in await memory.requests.list(space=SPACE)],
        "job": [each.id for each in await memory.jobs.list()],
        "name": ["summarise", "extract"],
        "key": ["k1", "k2"],
        "origin": ["import:old.txt"],
        "prefix": ["fct_", "req_", "msg_"],
        "request": [each.id for each in await memory.requests.list(space=SPACE)],
    }


def quoted(id: str) -> str:
    return quote(id, safe="")


def sender(portal: BlockingPortal, app: Any) -> Callable[[Case], httpx2.Response]:
    async def send(request: requests.PreparedRequest) -> httpx2.Response:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app, raise_app_exceptions=False)) as client:
            headers = [
                (name, value if isinstance(value, bytes) else value.encode("latin-1", "replace"))
                for name, value in request.headers.items()
            ]
            return await client.request(request.method, request.url, headers=headers, content=request.body)

    def call(case: Case) -> httpx2.Response:
        prepared = requests.Request(**case.as_transport_kwargs(base_url=BASE)).prepare()
        assume(len(prepared.url or "") < LONGEST)
        return portal.call(send, prepared)

    return call


@pytest.mark.timeout(3600 if SOAK else 600)
@pytest.mark.parametrize(("database_url", "mode"), TRIALS, indirect=["database_url"])
def test_every_answer_is_as_documented(database_url: str, mode: GenerationMode) -> None:
    memory = erstwhile.open(database_url, worker=False)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(memory):
        there = portal.call(ids, memory)
        app = create_app(memory)
        schema = schemathesis.openapi.from_dict(app.openapi()).exclude(path_regex=ELSEWHERE)
        send = sender(portal, app)
        operations = [each.ok() for each in schema.get_all_operations()]
        for operation in operations:
            try_out(operation.as_strategy(generation_mode=mode), there, send)


def try_out(cases: st.SearchStrategy[Case], there: dict[str, list[str]], send: Callable[[Case], Any]) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=not SOAK,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, data=st.data())
    def ask(case: Case, data: st.DataObject) -> None:
        as_made = data.draw(st.integers(0, 3)) == 0
        if not as_made:
            for name in case.path_parameters:
                odd = data.draw(st.integers(0, 9)) == 0
                case.path_parameters[name] = data.draw(st.sampled_from(ODD if odd else there[name]).map(quoted))
        case.validate_response(send(case), checks=[*CHECKS, *([negative_data_rejection] if as_made else [])])

    with contextlib.suppress(Unsatisfiable):  # nothing is wrong that can be asked of a path without anything in it
        ask()
