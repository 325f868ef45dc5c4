"""Turn problem documents into the errors that the local API would raise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from erstwhile.base import errors

# For responses that name no error class: from a proxy, or errors of HTTP alone.
_BY_STATUS: Final = {
    400: errors.InvalidInput,
    401: errors.Unauthorized,
    403: errors.Forbidden,
    404: errors.NotFound,
    409: errors.InvalidInput,
    412: errors.Changed,
    413: errors.InvalidInput,
    415: errors.InvalidInput,
    421: errors.InvalidInput,
    422: errors.InvalidInput,
    429: errors.TooManyRequests,
    507: errors.StorageFull,
}


def error(status: int, document: Mapping[str, Any], retry_after: float | None = None) -> errors.Error:
    detail = document.get("detail")
    said = detail if isinstance(detail, str) and detail else f"The server answered {status}."
    kind = named(document) or _BY_STATUS.get(status, errors.Error)
    made: errors.Error = kind(said)
    if isinstance(made, errors.ModelUnavailable | errors.TooManyRequests):
        made.retry_after = retry_after
    return made


def named(document: Mapping[str, Any]) -> type[errors.Error] | None:
    """Return the error class that a problem names, if it is one of erstwhile's."""
    kind = getattr(errors, str(document.get("error")), None)
    return kind if isinstance(kind, type) and issubclass(kind, errors.Error) else None


def document(body: str | bytes) -> Mapping[str, Any]:
    """Parse a problem document. Returns {} for anything else, such as a proxy's HTML."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
