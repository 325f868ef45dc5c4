"""The routes of the chat protocols: recall, ask the model, log. Errors have the protocol's own format."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, cast
from urllib.parse import unquote

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from erstwhile.api import context_builder
from erstwhile.api.memory import Memory
from erstwhile.base import ids
from erstwhile.base.errors import Error, InvalidInput, StorageError
from erstwhile.base.logs import Log
from erstwhile.base.recent import RecentItems
from erstwhile.http import permissions, problems
from erstwhile.http.caller import caller
from erstwhile.http.chat import recall, upstream
from erstwhile.http.chat.protocol import ChatProtocol, JsonBody, ResponseReader
from erstwhile.http.chat.providers import ChatCompletions, Messages, Responses
from erstwhile.http.chat.recall import ChatOptions, RecallResult, read, space_of
from erstwhile.http.chat.turn import ChatTurn, TurnLog
from erstwhile.http.chat.upstream import Relay, Upstreams
from erstwhile.http.problems import Problem
from erstwhile.writers.providers import ModelAddress

log = Log(__name__)

_WARMED = 3  # spaces
_TRIED = 1000  # questions whose key is cached, for clients that retry
_BYTES_PER_TOKEN = 4
_UNNAMED = 'none; reason="the request names no user: set `user`, X-Erstwhile-Person or X-Erstwhile-Channel"'


class Chat:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._tried: RecentItems[bytes, str] = RecentItems(_TRIED)
        self.upstreams = Upstreams(memory)
        self.ledger = TurnLog()

    @property
    def counts(self) -> dict[str, int]:
        return self.ledger.counts

    async def warm(self) -> None:
        """Prepare connections, the model's address and indexes for the first chats."""
        with suppress(Problem):
            _ = self.upstreams.client
            await self.upstreams.address(self._memory.settings.space)
        try:
            await context_builder.warm(self._memory, _WARMED)
        except Error as error:
            log.warning("chat.not_warmed", reason=type(error).__name__)

    async def answer(self, request: Request, protocol: ChatProtocol) -> Response:
        who = await caller(request)
        given = await request.body()
        body = JsonBody(given)
        if not body.get(protocol.list):
            raise Problem(400, f"`{protocol.list}` is missing.")
        asking = read(who, request.headers, body, self._memory.settings.space)
        said = protocol.said(body)
        before = self.ledger.latest.get((asking.space, asking.channel))
        address, recalled, _ = await asyncio.gather(
            self.upstreams.address(asking.space),
            recall.recall(self._memory, asking, said, before),
            self._allowed(asking.space, given),
        )
        upstream.check_protocol(protocol, address)
        self.counts["chats"] += 1
        self.counts["degraded"] += bool(recalled.reason)
        reader = ResponseReader(protocol, streamed=body.get("stream") is True)
        turn = ChatTurn(self._memory, asking, said, recalled, address.name, reader)
        turn.key = self._key(asking, given) or turn.key
        turn.ledger, turn.before = self.ledger, before
        prompt = self._prompt(body, protocol, turn, address)
        client = self.upstreams.client
        asked = upstream.request(client, address, protocol, request, prompt)
        return Relay(client, asked, protocol, turn, _header(asking, recalled))

    async def _allowed(self, space: str, body: bytes) -> None:
        """Count the input against the daily limit. A failing database doesn't stop the chat."""
        try:
            await permissions.take_texts(self._memory, space, [body.decode(errors="replace")])
        except StorageError as error:
            log.warning("chat.not_counted", space=space, reason=type(error).__name__)

    def _prompt(
        self, body: JsonBody, protocol: ChatProtocol, turn: ChatTurn, address: ModelAddress
    ) -> bytes:
        """Return the body for the provider."""
        body.put("model", address.model)
        protocol.place(body, recall.arrange(turn.recalled.context, turn.said))
        content = body.encode()
        turn.cache_key = str(body.get("prompt_cache_key") or "")
        least = address.cache_from
        enough = least is not None and len(content) >= least * _BYTES_PER_TOKEN
        if enough and not turn.cache_key and turn.asking.mode != "off":
            turn.cache_key = f"chat:{turn.asking.channel}"
            body.put("prompt_cache_key", turn.cache_key)
            return body.encode()
        return content

    def _key(self, asking: ChatOptions, body: bytes) -> str:
        """Return the key of the question. A retry gets the key of the first attempt."""
        if asking.key is not None or asking.mode != "on":
            return asking.key or ""
        digest = hashlib.sha256(f"{asking.space}\0{asking.channel}\0".encode() + body).digest()
        if asking.again and digest in self._tried:
            return self._tried[digest]
        key = ids.new("turn")
        self._tried.put(digest, key)
        return key


def _header(asking: ChatOptions, recalled: RecallResult) -> str:
    if asking.mode == "off" or recalled.is_logged is False:
        return "off"
    if asking.unnamed:
        return _UNNAMED
    if recalled.reason:
        return f'degraded; reason="{recalled.reason}"'
    request = f"; request={recalled.context.request}" if recalled.context.request else ""
    return f"{'read' if asking.mode == 'read' else 'ok'}{request}; tokens={recalled.context.tokens}"


CHAT_COMPLETIONS, RESPONSES, MESSAGES = ChatCompletions(), Responses(), Messages()

for _each in (CHAT_COMPLETIONS, RESPONSES, MESSAGES):
    problems.SHAPES[f"/v1{_each.path}"] = _each.error

_FAILURES = {
    400: "The request can't be read.",
    401: "The key is missing or not valid.",
    403: "The key has no access to this space.",
    404: "The space has no chat model.",
    413: "The body is too large.",
    415: "The body is compressed.",
    422: "The body is not JSON.",
    429: "A limit was exceeded; see Retry-After.",
    502: "The model can't be reached.",
    503: "The database is unavailable and the space's model is not known yet.",
    504: "The model did not answer in time.",
}


def protocol_of(request: Request) -> ChatProtocol:
    if request.scope["path"].endswith(MESSAGES.path) or "anthropic-version" in request.headers:
        return MESSAGES
    return RESPONSES if request.scope["path"].endswith(RESPONSES.path) else CHAT_COMPLETIONS


class _Shaped(APIRoute):
    """A route that renders errors in the protocol's own format."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await inner(request)
            except InvalidInput as error:
                problem = Problem(400, str(error))
            except (Problem, Error, HTTPException) as error:
                problem = problems.of(error)
            said = protocol_of(request).error(problem.status, problem.detail)
            return JSONResponse(said, problem.status, problem.headers)

        return handler


@asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[None]:
    """Load indexes ahead, and close the connections to providers at the end."""
    chat = chat_of(app)
    warming = asyncio.create_task(chat.warm(), name="erstwhile-warming")
    try:
        yield
    finally:
        warming.cancel()
        await asyncio.wait({warming})
        await chat.upstreams.close()


def chat_of(app: FastAPI) -> Chat:
    if not hasattr(app.state, "chat"):
        app.state.chat = Chat(app.state.memory)
    return cast(Chat, app.state.chat)


router = APIRouter(
    tags=["chat"],
    route_class=_Shaped,
    generate_unique_id_function=lambda route: f"chat_{route.name}",
)


def _described(list: str, example: dict[str, Any], shape: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "required": [list], "properties": {list: shape}}
    content = {"application/json": {"schema": schema, "example": example}}
    names = {
        "X-Erstwhile-Channel": "The channel; by default `metadata.channel`, then `user`, then the person.",
        "X-Erstwhile-Person": "The speaker; by default `user`. Without a channel and a person nothing is recalled.",
        "X-Erstwhile-Memory": "`on`, `read` (use memory, log nothing) or `off`.",
    }
    header = {"in": "header", "required": False, "schema": {"type": "string"}}
    headers = [{"name": name, "description": why, **header} for name, why in names.items()]
    return {"requestBody": {"required": True, "content": content}, "parameters": headers}


def _answers(said: str) -> dict[int | str, dict[str, Any]]:
    anything: Any = {"application/json": {"schema": {}}}
    both = {**anything, "text/event-stream": {"schema": {"type": "string"}}}
    answers: dict[int | str, dict[str, Any]] = {200: {"description": said, "content": both}}
    answers |= {
        status: {"description": why, "content": anything} for status, why in _FAILURES.items()
    }
    return answers


_MESSAGES = {"type": "array", "minItems": 1, "items": {"type": "object"}}
_HELLO = [{"role": "user", "content": "Where do I live now?"}]


def _add(
    protocol: ChatProtocol, titles: tuple[str, str], shape: dict[str, Any], **example: Any
) -> None:
    async def answer(request: Request) -> Response:
        return await chat_of(request.app).answer(request, protocol)

    router.add_api_route(
        f"/v1{protocol.path}",
        answer,
        methods=["POST"],
        name=protocol.path.rpartition("/")[2],
        summary=titles[0],
        description=f"Answer {titles[1]} with the space's model and memory.",
        response_class=Response,
        responses=_answers("The model's answer, as the provider gives it."),
        openapi_extra=_described(protocol.list, {"model": "any", **example}, shape),
    )


_INPUT = {"anyOf": [{"type": "string", "minLength": 1}, _MESSAGES]}
_COMPLETION = ("OpenAI's chat completions", "a chat completion")
_add(CHAT_COMPLETIONS, _COMPLETION, _MESSAGES, messages=_HELLO, user="alice")
_RESPONSE = ("OpenAI's responses", "a response request")
_add(RESPONSES, _RESPONSE, _INPUT, input="Where do I live now?", user="alice")
_MESSAGE = ("Anthropic's messages", "an Anthropic messages request")
_add(MESSAGES, _MESSAGE, _MESSAGES, max_tokens=1024, messages=_HELLO)


@router.get(
    "/v1/models", summary="List models", responses=_answers("The models of the space: one.")
)
async def models(request: Request) -> dict[str, Any]:
    """List the space's chat model. It answers every request, whatever model the request names."""
    listed = await _models(request)
    if protocol_of(request) is MESSAGES:
        only = listed[0]["id"] if listed else None
        return {"data": listed, "has_more": False, "first_id": only, "last_id": only}
    return {"object": "list", "data": listed}


@router.get("/v1/models/{model:path}", summary="Show a model", responses=_answers("The model."))
async def model(request: Request, model: str) -> dict[str, Any]:
    """Show one model of the space."""
    named = unquote(model)
    found = next((each for each in await _models(request) if each["id"] == named), None)
    if found is None:
        raise Problem(404, f"This space has no model {named!r}. GET /v1/models lists what it has.")
    return found


async def _models(request: Request) -> list[dict[str, Any]]:
    who = await caller(request)
    memory = request.app.state.memory
    space = space_of(who, request.headers, memory.settings.space)
    try:
        address = await chat_of(request.app).upstreams.address(space)
    except Problem as problem:
        if problem.status != 404:
            raise
        return []
    if protocol_of(request) is MESSAGES:
        named = {"id": address.model, "display_name": address.name}
        return [{"type": "model", **named, "created_at": "1970-01-01T00:00:00Z"}]
    return [{"id": address.model, "object": "model", "created": 0, "owned_by": address.provider}]
