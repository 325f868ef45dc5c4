"""The trace of a request in plain words."""

from __future__ import annotations

from collections.abc import Mapping

from erstwhile.requests.figures import PATH_NAMES, duration
from erstwhile.requests.model import Request
from erstwhile.search.trace import BELOW, BUDGET, GONE, KEPT, SAME, SHOWN

EVIDENCE = ("words", "meaning", "speaker", "date", "session", "source", "substance")
MEANING: Mapping[str, str] = {
    "words": "It has words of the question, or is next to a message that has.",
    "meaning": "It has a similar meaning in other words.",
    "speaker": "It is by a person the question names.",
    "date": "It is from the time the question names.",
    "session": "The messages around it have words of the question.",
    "source": "It is the source of a memory that was found.",
    "substance": "It states something, and is not a question.",
}
_FOUND_BY: Mapping[str, str] = {
    "words": "words",
    "meaning": "meaning",
    "speaker": "who said it",
    "date": "when it was said",
    "session": "the talk around it",
    "source": "a memory made of it",
}
IN = (KEPT, SHOWN)
_FATES: Mapping[str, str] = {
    KEPT: "In the answer.",
    SHOWN: "In the answer, among the recent messages.",
    BUDGET: "Found, but it did not fit the budget.",
    BELOW: "Found, but others ranked higher.",
    SAME: "Two others from the same message, or with the same text, ranked higher.",
    GONE: "Still in the index, but deleted.",
}
_KINDS: Mapping[str, str] = {KEPT: "good", SHOWN: "good", BUDGET: "bad", BELOW: "warn", SAME: "warn"}


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
    """The kind of badge for a fate."""
    return _KINDS.get(name, "")


def found_by(parts: Mapping[str, float], request: Request) -> str:
    """The strongest evidence for a candidate."""
    best = max(_FOUND_BY, key=lambda name: parts.get(name, 0.0))
    if parts.get(best, 0.0) <= 0:
        return "little of anything"
    if best == "words" and request.path == "trigram":
        return "similar spelling"
    return _FOUND_BY[best]


def summary(request: Request) -> list[tuple[str, str]]:
    """Explain a request as pairs of a heading and a text."""
    rows = [("Found by", _path(request)), ("Looked in", _scope(request))] if request.searched else []
    if not request.searched:
        rows.append(("Search", "Nothing was searched: there was no question, or the recipe has no search."))
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
    name = PATH_NAMES.get(request.path, "nothing")
    return f"{name}{', a fallback' if request.fallback else ''}" + (f" ({', '.join(hits)})" if hits else "")


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
    return size + ("; the budget dropped some of what was found" if request.truncated else "")


def _times(request: Request) -> str:
    times = f"{duration(request.retrieval_ms)} to find"
    if request.model_ms is not None:
        used = f"{request.input_tokens:,} tokens in, {request.cached_tokens:,} of them cached, {request.output_tokens:,} out"
        times += f"; {request.model or 'the model'} {duration(request.model_ms)}, {used}"
    return times
