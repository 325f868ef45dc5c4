"""Declare a verb once: its method, its path, whether it writes. The rest comes from its signature
and docstring.

The decorators only record. A signature is inspected when the verb is first called or its route is
made.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from erstwhile.api.types import ChannelOfMemory, Conversation, ParameterRule
from erstwhile.base import page
from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass

F = TypeVar("F", bound=Callable[..., Any])
SPACE: Final = "space"  # acts on one space: /v1/spaces/{space}/…
ANY: Final = "any"  # on one space, or on all of them with an admin key: /v1/…
SERVER: Final = "server"  # on the whole server, with an admin key: /v1/…


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a verb. `base` is the type without its rule, `place` its place in HTTP: path,
    query, body, space or chat."""

    name: str
    base: Any
    rule: ParameterRule
    default: Any
    place: str

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def wire(self) -> str:
        """Its name over HTTP."""
        return self.rule.name if self.place == "query" and self.rule.name else self.name

    def check(self, value: Any) -> Any:
        if value is None and (self.default is None or NoneType in get_args(self.base)):
            return None
        return self.rule.check(self.name, value)


@dataclass(frozen=True, slots=True)
class Verb:
    """A declared verb. `answer` names the returned value over HTTP if it is not an object.
    `repeatable`: safe to retry. `slow`: may take as long as a model call. `routed`: its route is
    generated, not written by hand. `also`: what the remote client sends besides the arguments."""

    name: str
    method: str
    path: str
    function: Callable[..., Any]
    scope: str = SPACE
    writes: bool = False
    answer: str = ""
    status: int = 0
    repeatable: bool = True
    slow: bool = False
    routed: bool = True
    refusals: tuple[int, ...] = ()
    also: tuple[tuple[str, Any], ...] = ()

    @property
    def placeholders(self) -> tuple[str, ...]:
        return tuple(re.findall(r"{(\w+)}", self.path))

    @property
    def summary(self) -> str:
        first = inspect.cleandoc(self.function.__doc__ or self.name).split("\n\n")[0]
        return " ".join(first.split()).partition(". ")[0].rstrip(".")

    @property
    def description(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "")


@functools.cache
def signature(verb: Verb) -> inspect.Signature:
    return inspect.signature(verb.function)


@functools.cache
def parameters(verb: Verb) -> Mapping[str, Parameter]:
    """Return all parameters but `self`, in order."""
    hints = types_of(
        verb.function, [name for name in verb.function.__annotations__ if name != "return"]
    )
    taken = list(signature(verb).parameters.values())[1:]
    return {each.name: _parameter(verb, each, hints[each.name]) for each in taken}


@functools.cache
def returns(verb: Verb) -> Any:
    return types_of(verb.function, ["return"])["return"]


def types_of(
    function: Callable[..., Any], names: Iterable[str], *, rules: bool = True
) -> dict[str, Any]:
    """Return the types of some parameters. A public type that the module of the function imports
    for type checkers only is imported now."""
    annotations, known = function.__annotations__, function.__globals__
    named = {word for name in names for word in re.findall(r"\w+", str(annotations[name]))}
    names_of_all = import_module("erstwhile")
    public = {
        word: getattr(names_of_all, word)
        for word in named - known.keys()
        if word in names_of_all.__all__
    }
    wanted = SimpleNamespace(__annotations__={name: annotations[name] for name in names})
    return get_type_hints(wanted, known, public, include_extras=rules)


def _parameter(verb: Verb, given: inspect.Parameter, hint: Any) -> Parameter:
    base, rule = unwrap(hint)
    if base is Conversation:
        place, rule = "chat", ChannelOfMemory()
    elif given.name in ("space", "admin"):
        place = "space"
    elif given.name in verb.placeholders:
        place = "path"
    else:
        place = "body" if verb.method in ("POST", "PUT", "PATCH") else "query"
    return Parameter(given.name, base, rule, given.default, place)


def unwrap(hint: Any) -> tuple[Any, ParameterRule]:
    """Split a hint into its type and its rule. Works for optional types too."""
    if get_origin(hint) is Annotated:
        base, *metadata = get_args(hint)
        rules = (each for each in metadata if isinstance(each, ParameterRule))
        return base, next(rules, ParameterRule())
    if get_origin(hint) in (Union, UnionType):
        inner = [each for each in get_args(hint) if each is not NoneType]
        if len(inner) == 1:
            base, rule = unwrap(inner[0])
            return base | None, rule
    return hint, ParameterRule()


def bind(verb: Verb, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Bind the arguments of a call by name and check each. Missing ones get their default."""
    known, (places, defaults) = parameters(verb), _places(verb)
    given = {**defaults, **dict(zip(places, args, strict=False)), **kwargs}
    fits = len(args) <= len(places) and given.keys() == known.keys()
    if not fits or not kwargs.keys().isdisjoint(places[: len(args)]):
        signature(verb).bind(None, *args, **kwargs)  # raises; it takes too long for every call
    if given.get("admin") and given.get("space") is not None:
        raise InvalidInput("An admin key is for every space. Name a space, or admin, not both.")
    return {name: parameter.check(given[name]) for name, parameter in known.items()}


@functools.cache
def _places(verb: Verb) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names of the arguments that need no name, and the defaults."""
    taken = list(signature(verb).parameters.values())[1:]
    places = tuple(each.name for each in taken if each.kind is each.POSITIONAL_OR_KEYWORD)
    return places, {each.name: each.default for each in taken if each.default is not each.empty}


async def perform(resource: Any, verb: Verb, given: dict[str, Any]) -> Any:
    """Run a verb in this process. Decodes and encodes the cursor: the verb sees only positions."""
    if "cursor" not in parameters(verb):
        return await verb.function(resource, **given)
    filters = {name: value for name, value in given.items() if name not in ("cursor", "limit")}
    if "chat" in filters:
        filters["chat"] = (filters["chat"].space, filters["chat"].channel)
    if "space" in filters and verb.scope == SPACE:
        filters["space"] = resource._space(filters["space"])
    listing, cursor = (verb.path, filters), given["cursor"]
    place = None if cursor is None else page.decode(cursor, listing)
    found = await verb.function(resource, **{**given, "cursor": place})
    if found.next is not None:
        found.next = page.encode(found.next, listing)
    return found


def _declare(method: str, path: str, options: Mapping[str, Any]) -> Callable[[F], F]:
    def declare(function: F) -> F:
        declared = Verb(function.__name__, method, path, function, **options)

        @functools.wraps(function)
        async def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            given = bind(declared, args, kwargs)
            return await self._memory._perform(self, declared, given)

        call.verb = declared  # type: ignore[attr-defined]
        return cast(F, call)

    return declare


def _method(method: str, **usual: Any) -> Callable[..., Callable[[F], F]]:
    return lambda path, **options: _declare(method, path, {**usual, **options})


# Declare a verb: one that reads, acts, sets something, updates part of it, or deletes it. What acts
# or deletes is retried only if it is declared `repeatable`.
get = _method("GET")
post = _method("POST", writes=True, repeatable=False)
put = _method("PUT", writes=True)
patch = _method("PATCH", writes=True)
delete = _method("DELETE", writes=True, repeatable=False)


def by_hand(function: F) -> F:
    """Declare a verb whose route and remote call are by hand (streams, files, entity tags)."""
    return _declare("", "", {"routed": False})(function)


def verbs(owner: type) -> list[Verb]:
    """Return the verbs of a class in declaration order."""
    found = {name: value for each in reversed(owner.__mro__) for name, value in vars(each).items()}
    return [value.verb for value in found.values() if hasattr(value, "verb")]
