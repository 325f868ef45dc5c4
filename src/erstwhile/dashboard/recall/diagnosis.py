"""The trace of a request in plain words, and why something is missing from an answer."""

from __future__ import annotations

import json
import shlex
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import moment
from erstwhile.base.records import dataclass
from erstwhile.client import transport
from erstwhile.context.model import Context
from erstwhile.memories import registry
from erstwhile.requests.figures import PATH_NAMES, duration
from erstwhile.requests.model import ExplainedCandidate, Explanation, Request
from erstwhile.search.model import Hit
from erstwhile.search.trace import BELOW, BUDGET, FLOOR, GONE, KEPT, MOST, SAME, SHOWN
from erstwhile.text import analyse

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
        every = {name: getattr(self, name) for name in ("person", "budget", "recipe", "scope")}
        every["decompose"] = self.decompose or None
        return {name: value for name, value in every.items() if value not in ("", None)}


def python(query: ContextQuery, url: str, *, keyed: bool) -> str:
    """Write the call in Python. `keyed`: the server wants a key."""
    opened = [repr(url), *([f'key=os.environ["{KEY}"]'] if keyed else []), f"space={query.space!r}"]
    given = [repr(query.query), *(f"{name}={value!r}" for name, value in query.options.items())]
    return "\n".join(
        [
            *(["import os", ""] if keyed else []),
            "import erstwhile",
            "",
            f"with erstwhile.connect_sync({', '.join(opened)}) as memory:",
            f"    chat = memory.channel({query.channel!r})",
            "    context = chat.context(",
            *(f"        {each}," for each in given),
            "    )",
            "    print(context.text)",
        ]
    )


def curl(query: ContextQuery, url: str, *, keyed: bool) -> str:
    """Write a curl command. The question is in the body, where no shell and no URL can misread it."""
    path = transport.path("spaces", query.space, "channels", query.channel, "context")
    dots = {query.space, query.channel} & {".", ".."}  # curl would take these for steps up the path
    body = {**({"query": query.query} if query.query else {}), **query.options}
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
    **dict.fromkeys((KEPT, SHOWN), "good"),
    **dict.fromkeys((BELOW, SAME, FLOOR), "warn"),
    BUDGET: "bad",
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
    return _KINDS.get(name, "")


def found_for(hop: str, request: Request) -> str:
    """Name the sub-question that found a line, or the name that led to it."""
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
        nothing = "Nothing was searched: there was no question, or the recipe has no search."
        rows.append(("Search", nothing))
    if request.sub_questions:
        rows.append(("Split into", " ".join(f"“{each}”" for each in request.sub_questions)))
    elif split:
        rows.append(("Split into", "Nothing: it needs a model, and a question with several parts."))
    if request.when:
        rows.append(("Time understood", f"“{request.when}”"))
    if request.recipe:
        rows.append(("Recipe", request.recipe))
    rows.append(("Answer", _size(request)))
    times = f"{duration(request.retrieval_ms)} to find"
    if request.model_ms is not None:
        cached = f"{request.cached_tokens:,} of them cached"
        used = f"{request.input_tokens:,} tokens in, {cached}, {request.output_tokens:,} out"
        times += f"; {request.model or 'the model'} {duration(request.model_ms)}, {used}"
    rows.append(("Took", times))
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


_WHERE: Mapping[str, str] = {
    "channel": "this conversation",
    "person": "the conversations of whoever asks, as far as they are visible here",
    "space": "the whole space",
}


def _scope(request: Request) -> str:
    where = _WHERE.get(request.scope, request.scope)
    if request.op == "search" and request.scope == "person":
        where = "what is by or about this person"
    return where + (f"; widened: {request.widened}" if request.widened else "")


def _size(request: Request) -> str:
    size = f"{request.items:,} {'line' if request.items == 1 else 'lines'}"
    size += f", {request.tokens:,} of {request.budget:,} tokens" if request.budget else ""
    return size + ("; the budget left out some of what was found" if request.truncated else "")


# What became of a place that says it, where it is not a candidate's fate.
LATER = "later"
ELSEWHERE = "elsewhere"
OTHER_KIND = "another way"
UNSEARCHED = "not searched"
MISSED = "not found"
_FOUND = {"community": ("note", "topic")}
_NEAREST = 3

# By what became of a place that says it, the best first.
_HEADLINES = {
    KEPT: "It is in the answer.",
    SHOWN: "It is in the answer, among the recent messages.",
    BUDGET: "It was found, but did not fit the budget.",
    BELOW: "It was found, but others ranked higher.",
    FLOOR: "It was found, but left out: it hardly bears on the question.",
    SAME: "It was found, but others with the same source ranked higher.",
    GONE: "It is in the index, but was deleted.",
    MISSED: "It is stored, but was not found.",
    UNSEARCHED: "It is stored, but nothing was searched.",
    ELSEWHERE: "It is in another conversation, which was not searched.",
    LATER: "It was written after the question.",
    OTHER_KIND: "It is only in memories that are not searched for a context.",
}
_ORDER = tuple(_HEADLINES)
_HELP = {
    KEPT: "The model saw it. If the reply does not say it, the model left it out.",
    SHOWN: "The model saw it. If the reply does not say it, the model left it out.",
    BUDGET: "A larger budget keeps it; so do fewer recent messages (ERSTWHILE_RECENT_MESSAGES).",
    BELOW: "See the parts of its score. More of its words in the question, or a larger budget, raise it.",
    FLOOR: "Ask with more of its words, or with a lower `floor`.",
    SAME: "If the two above it do not say the same, use words of this one in the question.",
    GONE: "Run `erstwhile spaces rebuild` to update the index.",
    MISSED: "It shares few words with the question. Use its words, or turn on search by meaning (ERSTWHILE_EMBEDDER).",
    UNSEARCHED: "Ask with a question, and with a recipe that searches: full or recall.",
    ELSEWHERE: "Use the scope “person”, and ask as someone who writes in both conversations.",
    LATER: "Run the question again.",
    OTHER_KIND: "Its sources may say it in other words: open it to see them.",
}
_NOWHERE = "No message or memory in this space says that."
_NOWHERE_HELP = (
    "It was never written here, was deleted, erased or expired since, or was written in other words. "
    "Try fewer words, or others."
)
NOTHING_EXPECTED = "Type a few words of what you expected."


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that says it. `became` is its fate, or why it had none; `words` explains it."""

    id: str
    kind: str
    text: str
    channel: str
    seq: int | None
    at: datetime | None
    became: str
    words: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """`nearest` is what comes closest, where nothing says it."""

    headline: str
    help: str
    places: tuple[Mention, ...] = ()
    nearest: tuple[Hit, ...] = ()


def holds(text: str, expected: str) -> bool:
    """Return whether a text has the expected one word for word, or every word with a meaning."""
    if not expected.strip():
        return False
    if _folded(expected) in _folded(text):
        return True
    wanted = set(analyse.query_terms(expected))
    return bool(wanted) and wanted <= set(analyse.terms(text))


def explain(
    expected: str, why: Explanation, said: Sequence[Hit], shown: Context | None = None
) -> Verdict:
    """Explain what became of `expected`. `said` are the hits of a search for it in the whole space.
    `shown` is the context, if it is at hand; of a past request only the candidates are recorded.
    """
    if not expected.strip():
        return Verdict(NOTHING_EXPECTED, "")
    found = {each.id: each for each in _places(expected, why, said, shown)}
    if not found:
        return Verdict(_NOWHERE, _NOWHERE_HELP, nearest=tuple(said[:_NEAREST]))
    places = sorted(found.values(), key=lambda each: _ORDER.index(each.became))
    best = places[0].became
    help = _HELP[best]
    if shown is None and best not in IN:
        help += " Its other parts (brief, summaries, recent messages) are not recorded: "
        help += "run it again to see that too."
    return Verdict(_HEADLINES[best], help, tuple(places))


def _places(
    expected: str, why: Explanation, said: Sequence[Hit], shown: Context | None
) -> Iterator[Mention]:
    """Place each id. Of two with the same id the later wins: a line over a fate, a fate over a hit."""
    known = {each.candidate.id for each in why.seen}
    for hit in said:
        if hit.id not in known and holds(hit.text, expected):
            became = _unfound(hit, why.request)
            words = _why_unfound(became, hit, why) + _summed_up(hit, why.request, shown)
            yield Mention(hit.id, hit.kind, hit.text, hit.channel, hit.seq, hit.at, became, words)
    for each in why.seen:
        if each.text is not None and holds(each.text, expected):
            found = each.candidate
            place = found.channel or "", found.seq, moment(found.at)
            yield Mention(found.id, found.kind, each.text, *place, found.fate, _fate(each, why))
    for part in shown.parts if shown is not None else ():
        for item in part.items:
            if holds(item.text, expected):
                channel, seq = item.channel or why.request.channel or "", item.first or None
                became = SHOWN if part.name in ("recent", "turns") else KEPT
                words = f"In the answer, in the part “{part.name}”."
                yield Mention(item.id, item.kind, item.text, channel, seq, None, became, words)


def _fate(seen: ExplainedCandidate, why: Explanation) -> str:
    candidate, request = seen.candidate, why.request
    if candidate.fate == BUDGET:
        return f"Found at rank {seen.rank}, but the {request.budget or 0:,} tokens were used up before it."
    if candidate.fate == BELOW:
        kept = [each.candidate.score for each in why.seen if each.candidate.fate in IN]
        words = f"Found at rank {seen.rank}, but others scored higher."
        if kept and candidate.parts:
            lowest = f"the lowest score kept was {min(kept):.2f}"
            words += f" Its score was {candidate.score:.2f}; {lowest}."
        return words
    return f"Found at rank {seen.rank}. {fate(candidate.fate)}"


def _unfound(hit: Hit, request: Request) -> str:
    if hit.at > request.at:
        return LATER
    if not request.searched:
        return UNSEARCHED
    others = registry.grouped("summary", *registry.REPEATING)
    usual = tuple(kind for kind in ids.kinds() if kind not in others)  # what most recipes search
    if request.op != "search" and hit.kind not in _FOUND.get(request.recipe, usual):
        return OTHER_KIND
    elsewhere = request.channel is not None and hit.channel != request.channel
    if elsewhere and request.recipe != "community":
        return ELSEWHERE
    return MISSED


def _why_unfound(became: str, hit: Hit, why: Explanation) -> str:
    request, here = why.request, "another conversation" if hit.channel else "everyone's notes"
    if became == LATER:
        return "It was written after the question."
    if became == UNSEARCHED:
        if not request.query:
            return "Nothing was searched: there was no question."
        return f"Nothing was searched: the recipe {request.recipe} has no search."
    if became == OTHER_KIND:
        return f"This kind of memory ({hit.kind}) is not searched for a context."
    if became == ELSEWHERE and request.scope == "person":
        return f"Said in {here}. The asker does not write there, or it is not visible here."
    if became == ELSEWHERE:
        return f"Said in {here}. Only the conversation of the question was searched."
    if len(why.seen) >= MOST:
        return f"It is none of the {MOST} best candidates. Only these are recorded."
    return f"It is none of the candidates ({len(why.seen)})."


def _summed_up(hit: Hit, request: Request, shown: Context | None) -> str:
    """Add that a summary of the message was shown and leaves it out."""
    if shown is None or hit.seq is None or hit.channel != request.channel:
        return ""
    for item in (item for part in shown.parts for item in part.items):
        if item.kind in registry.grouped("summary") and item.first <= hit.seq <= item.last:
            return f" A {item.kind} of the messages {item.first} to {item.last} was shown, and leaves it out."
    return ""


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
