"""Turn a declared verb into an HTTP call, and its response into what the verb returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from erstwhile.api.types import CommaSeparated, IdList
from erstwhile.api.verb import ANY, SERVER, Parameter, Verb, parameters, returns
from erstwhile.base.errors import Error
from erstwhile.base.page import Page
from erstwhile.client import transport
from erstwhile.client.transport import HttpCall

T = TypeVar("T")


def call(verb: Verb, owner: Any, given: Mapping[str, Any], space: str) -> HttpCall:
    """Build the call of a verb. `owner` has what else the path needs."""
    known = parameters(verb)
    chat = next((given[name] for name, each in known.items() if each.place == "chat"), owner)
    named = {"channel": getattr(chat, "channel", None), **given}
    at = [named[part[1:-1]] if part.startswith("{") else part for part in verb.path.split("/")]
    chosen = getattr(chat, "space", None) or given.get("space")
    whole = verb.scope == SERVER or (verb.scope == ANY and given.get("admin", chosen is None))
    path = transport.path(*at) if whole else transport.path("spaces", chosen or space, *at)
    placed: dict[str, dict[str, Any]] = {"query": {}, "body": dict(verb.also)}
    for name, each in known.items():
        if each.place in placed and given[name] is not None:
            placed[each.place][each.wire] = _written(each, given[name])
    body = placed["body"] if verb.method in ("POST", "PUT", "PATCH") else None
    return HttpCall(verb.method, path, placed["query"], body, again=verb.repeatable, slow=verb.slow)


def _written(parameter: Parameter, value: Any) -> Any:
    if isinstance(parameter.rule, CommaSeparated):
        return ",".join(value)
    if isinstance(parameter.rule, IdList) and parameter.rule.none:
        return list(value) or [""]  # a URL can't express an empty list
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [dict(each) if isinstance(each, Mapping) else each for each in value]
    return value


def answer_name(verb: Verb) -> str:
    """Return the name of the value in the response, or "" if the response is the value itself."""
    listed = page_item(returns(verb))
    return verb.answer or (verb.path.rpartition("/")[2] if listed else "")


def page_item(kind: Any) -> Any:
    """Return the type of the items of a page, None for any other type."""
    bases = (kind, *getattr(kind, "__orig_bases__", ()))
    return next((get_args(each)[0] for each in bases if get_origin(each) is Page), None)


@cache
def extra_fields(kind: Any) -> dict[str, Any]:
    """Return what a page has besides its items, `next` and `total`: names and types."""
    is_page = isinstance(kind, type) and issubclass(kind, Page)
    return get_type_hints(kind) if is_page else {}


def decode(verb: Verb, answer: Any) -> Any:
    kind, name = returns(verb), answer_name(verb)
    if kind is NoneType:
        return None
    if item := page_item(kind):
        found = cast(list[Any], read(list[item], answer, name))  # type: ignore[valid-type]
        more = {each: read(of, answer, each) for each, of in extra_fields(kind).items()}
        return kind(found, answer.get("next"), answer.get("total"), **more)
    return read(kind, answer, name or None)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def read(kind: type[T], answer: object, name: str | None = None) -> T:
    """Read a response, or its member `name`, as a type."""
    try:
        found = answer if name is None else cast(dict[str, Any], answer)[name]
        return cast(T, _adapter(cast(Any, kind)).validate_python(found))
    except (ValidationError, KeyError, TypeError) as error:
        what = error.title if isinstance(error, ValidationError) else name
        why = f"The server's answer has no {what} that this erstwhile can read."
        raise Error(f"{why} Use the same version on both sides.") from None
