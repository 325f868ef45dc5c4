"""Structured logs. structlog is imported on the first line that is really written, so importing
the import stays light.

Secrets are never logged. What people said is not logged either, unless `ERSTWHILE_LOG_CONTENT=1`,
and then only at DEBUG.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import MutableMapping
from functools import cache
from typing import Any

_SECRET_NAMES = re.compile(r"(api_?key|secret|password|authorization|token$)", re.IGNORECASE)
_SECRET_VALUES = re.compile(r"\b(sk-[\w-]{8,}|er_[\w-]{8,}|AIza[\w-]{20,}|Bearer\s+\S+)|(?<=://)[^/@\s]+@")
_CONTENT_NAMES = frozenset({"text", "query", "answer", "content", "prompt", "message"})

logging.getLogger("erstwhile").addHandler(logging.NullHandler())  # a library leaves output to the application


def redact(_logger: Any, level: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    content_wanted = level == "debug" and os.environ.get("ERSTWHILE_LOG_CONTENT") == "1"
    for name, value in list(event.items()):
        if _SECRET_NAMES.search(name):
            event[name] = "[secret]"
        elif name in _CONTENT_NAMES and not content_wanted:
            event[name] = "[not logged]"
        elif isinstance(value, str):
            event[name] = _SECRET_VALUES.sub("[secret]", value)
    return event


@cache
def _structured(name: str) -> Any:
    import structlog

    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            redact,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False)
            if os.environ.get("ERSTWHILE_LOG_FORMAT") == "json"
            else structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"], sort_keys=False),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )


class Log:
    """`log = Log(__name__)`, then `log.info("job.parked", job=…, reason=…)`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._plain = logging.getLogger(name)

    def _write(self, level: int, event: str, fields: dict[str, Any]) -> None:
        if self._plain.isEnabledFor(level):
            _structured(self._name).log(level, event, **fields)

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
