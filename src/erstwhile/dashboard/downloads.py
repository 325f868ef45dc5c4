"""Files that a page offers to whoever may see the page; the middleware has checked the caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import app
from starlette.requests import Request
from starlette.responses import Response

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error
from erstwhile.dashboard.viewer import Backend
from erstwhile.http import problems
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem

FileParts = tuple[str, str, str]  # content, media type, name
Make = Callable[[Memory, str, Request], Awaitable[FileParts]]
Answer = Callable[[Caller, Request], Awaitable[Response]]


def serve(path: str) -> Callable[[Answer], Answer]:
    """Register what answers a path below /downloads/; errors become problems."""

    def register(answer: Answer) -> Answer:
        @app.get(path)
        async def given(request: Request) -> Response:
            try:
                return await answer(request.state.caller, request)
            except Problem as problem:
                return problems.response(problem)
            except Error as error:
                return problems.response(problems.of(error))

        return answer

    return register


def download(path: str) -> Callable[[Make], Make]:
    """Register a file made from the memory and the chosen space."""

    def register(make: Make) -> Make:
        @serve(path)
        async def given(caller: Caller, request: Request) -> Response:
            if caller.person is not None:
                raise Problem(403, "This shows what is known about one person, and nothing else.")
            default = Backend.memory.settings.space if caller.space is None else caller.space
            space = caller.reads(request.query_params.get("space") or default)
            words, kind, name = await make(Backend.memory, space, request)
            headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
            return Response(words, media_type=kind, headers=headers)

        return make

    return register
