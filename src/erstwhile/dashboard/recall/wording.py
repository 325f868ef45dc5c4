"""The trace of a request in plain words."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from erstwhile.base.records import dataclass
from erstwhile.client import transport
from erstwhile.requests.figures import PATH_NAMES, duration
from erstwhile.requests.model import Request
from erstwhile.search.trace import BELOW, BUDGET, FLOOR, GONE, KEPT, SAME, SHOWN

KEY = "ERSTWHILE_KEY"  # the variable that a key is read from: no key is ever written out


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """The parameters of a context as they were typed; "" and None are the space's defaults."""

    space: str
    channel: str
    query: str = ""
    person: str = ""
    recipe: str = ""
    budget: int | None = None
    scope: str = ""
    decompose: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """The parameters that were chosen."""
        every = {name: getattr(self, name) for name in ("person", "budget", "recipe", "scope")}
        every["decompose"] = self.decompose or None
        return {name: value for name, value in every.items() if value not in ("", None)}


def python(asked: ContextQuery, url: str, *, keyed: bool) -> str:
    """Write the call in Python. `keyed`: the server wants a key."""
    opened = [repr(url), *([f'key=os.environ["{KEY}"]'] if keyed else []), f"space={asked.space!r}"]
    given = [repr(asked.query), *(f"{name}={value!r}" for name, value in asked.options.items())]
    return "\n".join(
        [
            *(["import os", ""] if keyed else []),
            "import erstwhile",
            "",
            f"with erstwhile.connect_sync({', '.join(opened)}) as memory:",
            f"    chat = memory.channel({asked.channel!r})",
            "    context = chat.context(",
            *(f"        {each}," for each in given),
            "    )",
            "    print(context.text)",
        ]
    )


def curl(asked: ContextQuery, url: str, *, keyed: bool) -> str:
    """Write a curl command. The question is in the body, where no shell and no URL can misread it."""
    path = transport.path("spaces", asked.space, "channels", asked.channel, "context")
    dots = {asked.space, asked.channel} & {".", ".."}  # curl would take these for steps up the path
    body = {**({"query": asked.query} if asked.query else {}), **asked.options}
    lines = [
        f"curl -sS{' --path-as-is' if dots else ''} {shlex.quote(url.rstrip('/') + path)}",
        *([f'-H "Authorization: Bearer ${KEY}"'] if keyed else []),
        "-H 'Content-Type: application/json'",
        f"--data-raw {shlex.quote(_json(body))}",
    ]
    return " \\\n  ".join(lines)


def _json(body: dict[str, Any]) -> str:
    """JSON as people write it; invisible characters are escaped."""
    written = json.dumps(body, ensure_ascii=False)
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in written)


MEANING: Mapping[str, str] = {
    "words": "It has words of the question, or is next to a message that has.",
    "meaning": "It has a similar meaning in other words.",
    "speaker": "It is by a person the question names.",
    "date": "It is from the time the question names.",
    "session": "The messages around it have words of the question.",
    "source": "It is the source of a memory that was found.",
    "substance": "It states something, and is not a question.",
    "event": "It tells of the time the question names, or a time that the question asks for.",
    "answer": "It follows another person's question about the same.",
    "linked": "It has a rare name in common with what was found first: the second hop.",
}
EVIDENCE = tuple(MEANING)
_FOUND_BY: Mapping[str, str] = {
    "words": "words",
    "meaning": "meaning",
    "speaker": "who said it",
    "date": "when it was said",
    "session": "the talk around it",
    "source": "a memory made of it",
    "event": "when it happened",
    "answer": "the question it answers",
    "linked": "a name in what was found first",
}
IN = (KEPT, SHOWN)
_FATES: Mapping[str, str] = {
    KEPT: "In the answer.",
    SHOWN: "In the answer, among the recent messages.",
    BUDGET: "Found, but it did not fit the budget.",
    BELOW: "Found, but others ranked higher.",
    SAME: "Two others from the same message, or with the same text, ranked higher.",
    GONE: "Still in the index, but deleted.",
    FLOOR: "Found, but it hardly bears on the question.",
}
_KINDS: Mapping[str, str] = {
    KEPT: "good",
    SHOWN: "good",
    BUDGET: "bad",
    BELOW: "warn",
    SAME: "warn",
    FLOOR: "warn",
}


_HITS: Mapping[str, str] = {
    "summaries": "{:,} in summaries",
    "words": "{:,} by words",
    "trigram": "{:,} by similar spelling",
    "meaning": "{:,} by meaning",
    "recent": "{:,} recent",
}


def fate(name: str) -> str:
    return _FATES.get(name, name)


def colour(name: str) -> str:
    """Return the kind of badge for a fate."""
    return _KINDS.get(name, "")


def found_for(hop: str, request: Request) -> str:
    """Name the sub-question that found a line, or the name that led to it; "" if the whole question
    did."""
    if not hop:
        return ""
    return f"found for “{hop}”" if hop in request.sub_questions else f"by the name “{hop}”"


def found_by(parts: Mapping[str, float], request: Request) -> str:
    """Return the strongest evidence for a candidate."""
    best = max(_FOUND_BY, key=lambda name: parts.get(name, 0.0))
    if parts.get(best, 0.0) <= 0:
        return "little of anything"
    if best == "words" and request.path == "trigram":
        return "similar spelling"
    return _FOUND_BY[best]


def summary(request: Request, *, split: bool = False) -> list[tuple[str, str]]:
    """Explain a request as pairs of a heading and a text. `split`: a model was to split it."""
    rows = [("Found", _path(request)), ("Looked in", _scope(request))] if request.searched else []
    if not request.searched:
        rows.append(
            ("Search", "Nothing was searched: there was no question, or the recipe has no search.")
        )
    if request.sub_questions:
        rows.append(("Split into", " ".join(f"“{each}”" for each in request.sub_questions)))
    elif split:
        rows.append(("Split into", "Nothing: it needs a model, and a question with several parts."))
    if request.when:
        rows.append(("Time understood", f"“{request.when}”"))
    if request.recipe:
        rows.append(("Recipe", request.recipe))
    rows.append(("Answer", _size(request)))
    rows.append(("Took", _times(request)))
    if request.error_stage:
        rows.append(("Failed", f"In the stage {request.error_stage}. The server's log says why."))
    return rows


def _path(request: Request) -> str:
    hits = [_HITS[path].format(count) for path, count in request.hits.items() if count]
    if not hits:
        return "nothing"
    name = PATH_NAMES.get(request.path, "")
    fallback = f"; words found too little, so it went on with {name}" if request.fallback else ""
    return ", ".join(hits) + fallback


def _scope(request: Request) -> str:
    where = {
        "channel": "this conversation",
        "person": "the conversations of whoever asks, as far as they are visible here",
        "space": "the whole space",
    }.get(request.scope, request.scope)
    if request.op == "search" and request.scope == "person":
        where = "what is by or about this person"
    return where + (f"; widened: {request.widened}" if request.widened else "")


def _size(request: Request) -> str:
    size = f"{request.items:,} {'line' if request.items == 1 else 'lines'}"
    size += f", {request.tokens:,} of {request.budget:,} tokens" if request.budget else ""
    return size + ("; the budget left out some of what was found" if request.truncated else "")


def _times(request: Request) -> str:
    times = f"{duration(request.retrieval_ms)} to find"
    if request.model_ms is not None:
        cached = f"{request.cached_tokens:,} of them cached"
        used = f"{request.input_tokens:,} tokens in, {cached}, {request.output_tokens:,} out"
        times += f"; {request.model or 'the model'} {duration(request.model_ms)}, {used}"
    return times
