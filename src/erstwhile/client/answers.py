"""JSON back into what the door gives, so that both doors give equal values."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from erstwhile.base.errors import Error

T = TypeVar("T")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def read(kind: type[T], answer: object, name: str | None = None) -> T:
    """What the answer says, or, with a `name`, what it has under that name."""
    try:
        found = answer if name is None else cast(dict[str, Any], answer)[name]
        return cast(T, _adapter(cast(Any, kind)).validate_python(found))
    except (ValidationError, KeyError, TypeError) as error:
        what = error.title if isinstance(error, ValidationError) else name
        raise Error(
            f"The server's answer has no {what} that this erstwhile can read. Use the same version on both sides."
        ) from None
