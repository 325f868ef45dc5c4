"""Errors inside NiceGUI: answers and logs never hold their texts, which may be what somebody wrote.

A missing path is answered without a page: NiceGUI would make one and keep it for a minute.
"""

from __future__ import annotations

import logging
import traceback
from typing import Final

from nicegui import app
from starlette.requests import Request
from starlette.responses import Response

from erstwhile.base.errors import Error
from erstwhile.base.logs import Log
from erstwhile.http import problems
from erstwhile.http.problems import Problem

log = Log(__name__)

_FRAMES: Final = 4


def take_over() -> None:
    app.add_exception_handler(404, _missing)
    app.add_exception_handler(Exception, _failed)
    logging.getLogger("nicegui").addFilter(_discreet)


async def _missing(_request: Request, _error: Exception) -> Response:
    return problems.response(Problem(404, "There is nothing here."))


async def _failed(_request: Request, _error: Exception) -> Response:
    return problems.response(Problem(500, "Something went wrong in the server. Its log says where."))


def logged(error: BaseException) -> None:
    """Log the type and place of an error; what the user can fix is shown on the page alone."""
    if not isinstance(error, (Error, Problem)):
        frames = traceback.extract_tb(error.__traceback__)
        at = " < ".join(f"{each.filename.rpartition('/')[2]}:{each.lineno}" for each in reversed(frames[-_FRAMES:]))
        log.error("dashboard.failed", error=type(error).__name__, at=at)


def _discreet(record: logging.LogRecord) -> bool:
    """Let NiceGUI's own messages pass, but not errors."""
    error = record.exc_info[1] if record.exc_info else record.msg if isinstance(record.msg, BaseException) else None
    if error is not None:
        logged(error)
    return error is None
