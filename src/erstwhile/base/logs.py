"""Logs: a line for each event, as logfmt or as JSON. Written by hand, because a server writes one
for each request.

Secrets are never logged. What people said is not logged either, unless `ERSTWHILE_LOG_CONTENT=1`,
and then only at DEBUG.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from erstwhile.base.later import late_pattern

_SECRET_NAMES = late_pattern(r"(api_?key|secret|password|authorization|token$)", re.IGNORECASE)
_SECRET_VALUES = late_pattern(
    r"\b(sk-[\w-]{8,}|er_[\w-]{8,}|AIza[\w-]{20,}|Bearer\s+\S+)|(?<=://)[^/@\s]+@"
)
_CONTENT_NAMES = frozenset({"text", "query", "answer", "content", "prompt", "message"})

# A library leaves output to the application.
logging.getLogger("erstwhile").addHandler(logging.NullHandler())


@cache
def _is_secret(name: str) -> bool:
    return _SECRET_NAMES.search(name) is not None


def _redacted(name: str, value: Any, level: int) -> Any:
    if _is_secret(name):
        return "[secret]"
    shown = level == logging.DEBUG and os.environ.get("ERSTWHILE_LOG_CONTENT") == "1"
    if name in _CONTENT_NAMES and not shown:
        return "[not logged]"
    return _SECRET_VALUES.sub("[secret]", value) if isinstance(value, str) else value


def _logfmt(name: str, value: Any) -> str:
    if value is None or value is True:
        return f"{name}=" if value is None else name
    written = "false" if value is False else str(value)
    if " " in written or "=" in written or '"' in written:
        written = '"' + written.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{name}={written}".replace("\n", "\\n")


def _line(event: Mapping[str, Any]) -> str:
    if os.environ.get("ERSTWHILE_LOG_FORMAT") == "json":
        return json.dumps(event, ensure_ascii=False, default=repr)
    return " ".join([_logfmt(name, value) for name, value in event.items()])


class Log:
    """`log = Log(__name__)`, then `log.info("job.parked", job=…, reason=…)`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._plain = logging.getLogger(name)

    def _write(self, level: int, event: str, fields: dict[str, Any]) -> None:
        if self._plain.isEnabledFor(level):
            at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
            said = {"timestamp": at, "level": logging.getLevelName(level).lower(), "event": event}
            said |= fields | {"logger": self._name}
            line = _line({name: _redacted(name, value, level) for name, value in said.items()})
            # Not `log`, which looks for the line of code that called it.
            self._plain.handle(self._plain.makeRecord(self._name, level, "", 0, line, (), None))

    def debug(self, event: str, **fields: Any) -> None:
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: Any) -> None:
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, **fields: Any) -> None:
        self._write(logging.ERROR, event, fields)


def to_stderr(level: str = "info") -> None:
    """Log to stderr, for worker and server; stdout is for data."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("erstwhile")
    logger.addHandler(handler)
    logger.setLevel(level.upper())
