"""Make the routes of the declared verbs: parameters, response and permission."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, create_model

from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import RESOURCES
from erstwhile.api.types import CommaSeparated, EditorName, IdList, OneOf, ParameterRule
from erstwhile.api.verb import ANY, SERVER, SPACE, Parameter, Verb, parameters, returns, verbs
from erstwhile.client.calls import answer_name, extra_fields, page_item
from erstwhile.http import scores
from erstwhile.http.caller import (
    Caller,
    CurrentCaller,
    ReadableSpace,
    ServedMemory,
    WritableSpace,
    admin,
)
from erstwhile.http.models import BodyModel, QueryModel
from erstwhile.http.openapi import problem_responses
from erstwhile.http.permissions import GUARDS, INSTEAD

_ID = ParameterRule("The channel.", "support-42")
_PAGED: Any = {"next": (str | None, None), "total": (int | None, None)}
_PREFIX = "/v1/spaces/{space:id}/"


def routers() -> list[APIRouter]:
    """Return the routes of all verbs, a router for each object that has verbs."""
    owners = {"memory": Memory, "channel": Channel, **RESOURCES}
    return [_router(tag, owner) for tag, owner in owners.items()]


@cache  # making the models of all verbs takes most of a second, and applications can share them
def _router(tag: str, owner: type) -> APIRouter:
    """Create a route for each declared verb; two for verbs of one space or all spaces."""
    made = APIRouter(generate_unique_id_function=lambda route: route.name)
    for verb in verbs(owner):
        if verb.routed:
            for whole in {SPACE: (False,), ANY: (False, True), SERVER: (True,)}[verb.scope]:
                _add(made, RouteBuilder(tag, verb, whole))
    return made


class RouteBuilder:
    """A route being made. `whole`: for all spaces."""

    def __init__(self, tag: str, verb: Verb, whole: bool) -> None:
        self.tag, self.verb, self.whole = tag, verb, whole
        self.parameters = parameters(verb)
        self.name = f"{tag}_{verb.name}" + ("_everywhere" if whole and verb.scope == ANY else "")
        self.title = "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def path(self) -> str:
        path = self.verb.path.replace("}", ":id}")
        return f"/v1/{path}" if self.whole else _PREFIX + path

    @cached_property
    def query(self) -> type[BaseModel] | None:
        return self._model("query", QueryModel, "Query")

    @cached_property
    def body(self) -> type[BaseModel] | None:
        return self._model("body", BodyModel, "Body")

    def _model(self, place: str, base: type[BaseModel], suffix: str) -> type[BaseModel] | None:
        chosen = [each for each in self.parameters.values() if each.place == place]
        if not chosen:
            return None
        fields: Any = {each.wire: _field(each, place) for each in chosen}
        made = create_model(f"{self.title}{suffix}", __base__=base, **fields)
        if place == "body":
            examples = {each.wire: _example(each) for each in chosen}
            shown = {name: each for name, each in examples.items() if each is not None}
            made.model_config = {**made.model_config, "json_schema_extra": {"examples": [shown]}}
            made.model_rebuild(force=True)
        return made

    @cached_property
    def answer(self) -> Any:
        """The response model: an object as it is, anything else under its name."""
        kind, name = returns(self.verb), answer_name(self.verb)
        if kind is NoneType:
            return None
        if not name:
            return kind
        fields: Any = {name: (kind, ...)}
        if item := page_item(kind):
            fields = {name: (list[item], ...)}  # type: ignore[valid-type]
            fields |= {each: (of, ...) for each, of in extra_fields(kind).items()}
            fields |= _PAGED if "cursor" in self.parameters else {}
        return create_model(f"{self.title}Answer", **fields)

    def owner(self, memory: Memory, path: Mapping[str, Any]) -> Any:
        """Return the object whose verb this is."""
        if self.tag == "channel":
            return memory.channel(path["channel"], path["space"])
        return memory if self.tag == "memory" else getattr(memory, self.tag)

    def said(self, found: Any) -> Any:
        name = answer_name(self.verb)
        if not name:
            return found
        paged = _PAGED if "cursor" in self.parameters else {}
        more = {each: getattr(found, each) for each in (*extra_fields(returns(self.verb)), *paged)}
        return {name: found, **more}


def _add(router: APIRouter, made: RouteBuilder) -> None:
    verb = made.verb
    empty = returns(verb) is NoneType
    router.add_api_route(
        made.path,
        _handler(made),
        methods=[verb.method],
        name=made.name,
        tags=[made.tag],
        status_code=verb.status or (204 if empty else 200),
        summary=verb.summary,
        description=verb.description,
        response_model=made.answer,
        responses=problem_responses(*verb.refusals),
        dependencies=[Depends(admin)] if made.whole else [],
        response_class=Response if empty else JSONResponse,
    )


def _handler(made: RouteBuilder) -> Callable[..., Awaitable[Any]]:
    async def handle(**given: Any) -> Any:
        arguments = _arguments(made, given)
        if guard := GUARDS.get(made.name):
            await guard(given["caller"], given["memory"], given["space"], arguments)
        owner = made.owner(given["memory"], given)
        if instead := INSTEAD.get(made.name):
            space = arguments.pop("space")
            found = await instead(given["caller"], given["memory"], space, arguments)
        else:
            found = await getattr(owner, made.verb.name)(**arguments)
        if not given["caller"].admin:
            found = scores.ranked(found)
        empty = returns(made.verb) is NoneType
        return Response(status_code=made.verb.status or 204) if empty else made.said(found)

    handle.__signature__ = inspect.Signature(_signature(made))  # type: ignore[attr-defined]
    handle.__name__ = made.name
    return handle


def _signature(made: RouteBuilder) -> list[inspect.Parameter]:
    taken: dict[str, Any] = {"memory": ServedMemory, "caller": CurrentCaller}
    if not made.whole:
        taken["space"] = WritableSpace if made.verb.writes else ReadableSpace
    for name in made.verb.placeholders:
        rule = made.parameters[name].rule if name in made.parameters else _ID
        examples = [rule.example] if rule.example else None
        described: Any = {"description": rule.description, "examples": examples}
        taken[name] = Annotated[str, Path(min_length=1, max_length=512, **described)]
    if made.query is not None:
        taken["query_"] = Annotated[made.query, Query()]
    by_name = inspect.Parameter.KEYWORD_ONLY
    found = [inspect.Parameter(name, by_name, annotation=kind) for name, kind in taken.items()]
    if made.body is not None:
        in_body = [each for each in made.parameters.values() if each.place == "body"]
        needed = any(each.required and not _by_caller(each) for each in in_body)
        default: Any = inspect.Parameter.empty if needed else None
        kind = made.body if needed else made.body | None
        found.append(inspect.Parameter("body_", by_name, annotation=kind, default=default))
    return found


def _arguments(made: RouteBuilder, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verb's arguments from the request. Missing ones get the verb's default."""
    brought: dict[str, Any] = {}
    for each in filter(None, (given.get("query_"), given.get("body_"))):
        brought |= each.model_dump(exclude_unset=True)
    found: dict[str, Any] = {}
    for name, each in made.parameters.items():
        if each.place == "chat":
            found[name] = given["memory"].channel(given["channel"], given["space"])
        elif each.place == "space":
            found[name] = given.get("space")
        elif each.place == "path":
            found[name] = given[name]
        elif brought.get(each.wire) is not None:
            found[name] = brought[each.wire]
            if isinstance(each.rule, CommaSeparated):
                found[name] = [part.strip() for part in found[name].split(",")]
        elif _by_caller(each):
            found[name] = actor_name(None, given["caller"])
    return found


def actor_name(by: str | None, caller: Caller) -> str:
    """Return who makes a change: as given, else the key's name."""
    return by if by is not None else caller.name or "api"


def _by_caller(parameter: Parameter) -> bool:
    return isinstance(parameter.rule, EditorName)


def _field(parameter: Parameter, place: str) -> tuple[Any, Any]:
    rule = parameter.rule
    optional = not parameter.required or _by_caller(parameter)
    kind = _wire(parameter, place)
    missing = parameter.default in (None, inspect.Parameter.empty)
    if optional and missing and NoneType not in get_args(kind):
        kind = kind | None
    default: Any = ... if not optional else None if _by_caller(parameter) else parameter.default
    if isinstance(default, tuple):
        default = list(default)
    examples = [rule.example] if rule.example is not None else None
    limits = {} if isinstance(rule, CommaSeparated) else rule.limits
    return (kind, Field(default, description=rule.description or None, examples=examples, **limits))


def _wire(parameter: Parameter, place: str) -> Any:
    """Return the type of a parameter over HTTP: times and days are text, lists have limits."""
    rule, kind = parameter.rule, _plain(parameter.base)
    if isinstance(rule, CommaSeparated) and place == "query":
        return str | None
    if isinstance(rule, OneOf):
        kind = Literal[rule.choices]
    elif isinstance(rule, IdList):
        kind = list[Annotated[str, Field(min_length=0 if rule.none else 1, max_length=512)]]
    return kind | None if NoneType in get_args(parameter.base) else kind


def _example(parameter: Parameter) -> Any:
    """Return the example value of a body's field, or None."""
    if parameter.rule.example is not None:
        return parameter.rule.example
    if not parameter.required:
        return parameter.default
    return 1 if parameter.base is int else "text"


def _plain(kind: Any) -> Any:
    if get_origin(kind) in (Union, UnionType):
        parts = dict.fromkeys(_plain(each) for each in get_args(kind))
        return Union[tuple(parts)]  # noqa: UP007 - the parts are known only here
    if isinstance(kind, type) and issubclass(kind, date):
        return str
    if get_origin(kind) in (Sequence, list):
        return list[_plain(get_args(kind)[0])]  # type: ignore[misc]
    if get_origin(kind) is Mapping:
        return dict[str, Any]
    return kind
