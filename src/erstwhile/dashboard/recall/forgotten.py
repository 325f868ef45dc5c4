"""Why did it forget …? What someone expected, looked for in everything that is there, and what became of each place that says it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.base.clock import moment
from erstwhile.context.model import Context, Item
from erstwhile.dashboard.recall import fates
from erstwhile.requests.model import Request, Seen, Why
from erstwhile.search.model import Hit
from erstwhile.search.trace import BELOW, BUDGET, GONE, KEPT, MOST, SAME, SHOWN, Candidate
from erstwhile.text import analyse

# What became of a place that says it, the best first. The first five are a candidate's fates.
LATER, ELSEWHERE, OTHER_KIND, UNSEARCHED, MISSED = "later", "elsewhere", "another way", "not searched", "not found"
_ORDER = (KEPT, SHOWN, BUDGET, BELOW, SAME, GONE, MISSED, UNSEARCHED, ELSEWHERE, LATER, OTHER_KIND)
_SUMMARIES = ("chunk", "meta", "brief")
_FOUND = {"community": ("note", "topic")}
_USUAL = ("message", "fact", "structured")
_NEAREST = 3

_HEADLINES = {
    KEPT: "It was not forgotten: the answer holds it.",
    SHOWN: "It was not forgotten: the recent messages hold it.",
    BUDGET: "It was found, and the budget ended before it.",
    BELOW: "It was found, and others were better.",
    SAME: "It was found, behind others of the same source.",
    GONE: "It was found in the index, and is no longer in the memory.",
    MISSED: "It is here, and was not found.",
    UNSEARCHED: "It is here, and nothing was searched.",
    ELSEWHERE: "It was said in another conversation, which was not looked into.",
    LATER: "It was said only after this was asked.",
    OTHER_KIND: "Only memories that are not searched for a context say it.",
}
_HELP = {
    KEPT: "If the reply left it out, the model did: it was told.",
    SHOWN: "If the reply left it out, the model did: it was told.",
    BUDGET: "A larger budget keeps it; so do fewer recent messages (ERSTWHILE_RECENT_MESSAGES).",
    BELOW: "See what its score is made of. More of its words in the question, or a larger budget, bring it up.",
    SAME: "What comes first says the same; if it does not, ask in the words of this one.",
    GONE: "`erstwhile spaces rebuild` brings the index in step.",
    MISSED: "Hardly a word of the question is in it. Ask in its words, or turn on search by meaning (ERSTWHILE_EMBEDDER).",
    UNSEARCHED: "Ask with a question, and with a recipe that searches: full or recall.",
    ELSEWHERE: "Ask with the scope “person”, as someone who speaks in both, if it may be heard here.",
    LATER: "Run it again: it is there now.",
    OTHER_KIND: "The messages it was made of may say it in other words: open it to see them.",
}
_NOWHERE = "Nothing in this space says that."
_NOWHERE_HELP = (
    "It was never said here, or was removed since (deleted, forgotten, expired), or was said in other words. "
    "Try fewer words, or others."
)
NOTHING_EXPECTED = "Type a few words of what you expected."


@dataclass(frozen=True, slots=True)
class Place:
    """One message, memory or line that says it. `became` is one of the fates, or why there was none; `words` says it plainly."""

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
    """`nearest`: where nothing says it, what comes closest."""

    headline: str
    help: str
    places: tuple[Place, ...] = ()
    nearest: tuple[Hit, ...] = ()


def holds(text: str, expected: str) -> bool:
    """Word for word, or with every word of it that tells something, in any form and order."""
    if not expected.strip():
        return False
    if _folded(expected) in _folded(text):
        return True
    wanted = set(analyse.query_terms(expected))
    return bool(wanted) and wanted <= set(analyse.terms(text))


def explain(expected: str, why: Why, said: Sequence[Hit], shown: Context | None = None) -> Verdict:
    """`said`: what a search of the whole space for `expected` found. `shown`: the context, where it is at hand; of a past request only
    its candidates are on record."""
    if not expected.strip():
        return Verdict(NOTHING_EXPECTED, "")
    found = {each.id: each for each in _places(expected, why, said, shown)}
    if not found:
        return Verdict(_NOWHERE, _NOWHERE_HELP, nearest=tuple(said[:_NEAREST]))
    places = sorted(found.values(), key=lambda each: _ORDER.index(each.became))
    best = places[0].became
    help = _HELP[best]
    if shown is None and best not in fates.IN:
        help += " What it showed besides (brief, summaries, recent messages) is not on record: run it again to see that too."
    return Verdict(_HEADLINES[best], help, tuple(places))


def _places(expected: str, why: Why, said: Sequence[Hit], shown: Context | None) -> Iterator[Place]:
    """The later of two of the same id holds: a line that was shown outweighs a fate, and a fate what a search says now."""
    known = {each.candidate.id for each in why.seen}
    for hit in said:
        if hit.id not in known and holds(hit.text, expected):
            became = _unfound(hit, why.request)
            words = _why_unfound(became, hit, why) + _summed_up(hit, why.request, shown)
            yield Place(hit.id, hit.kind, hit.text, hit.channel, hit.seq, hit.at, became, words)
    for each in why.seen:
        if each.text is not None and holds(each.text, expected):
            at, candidate = moment(each.candidate.at), each.candidate
            words = _fate(each, why)
            channel = candidate.channel or ""
            yield Place(candidate.id, candidate.kind, each.text, channel, candidate.seq, at, candidate.fate, words)
    yield from _lines(expected, why.request, shown)


def _lines(expected: str, request: Request, shown: Context | None) -> Iterator[Place]:
    for part in shown.parts if shown is not None else ():
        for item in part.items:
            if holds(item.text, expected):
                channel, seq = item.channel or request.channel or "", item.first or None
                became = SHOWN if part.name in ("recent", "turns") else KEPT
                words = f"In the answer, in the part “{part.name}”."
                yield Place(item.id, item.kind, item.text, channel, seq, None, became, words)


def _fate(seen: Seen, why: Why) -> str:
    candidate, request = seen.candidate, why.request
    if candidate.fate == BUDGET:
        return f"Found in place {seen.rank}, and the budget of {request.budget or 0:,} tokens ended before it."
    if candidate.fate == BELOW:
        least = _least_kept(why)
        beside = f" Its score was {candidate.score:.2f}; the last one kept had {least.score:.2f}." if least else ""
        return f"Found in place {seen.rank}, and others were better.{beside}"
    return f"Found in place {seen.rank}. {fates.fate(candidate.fate)}"


def _least_kept(why: Why) -> Candidate | None:
    kept = [each.candidate for each in why.seen if each.candidate.fate in fates.IN]
    return min(kept, key=lambda each: each.score, default=None)


def _unfound(hit: Hit, request: Request) -> str:
    if hit.at > request.at:
        return LATER
    if not request.searched:
        return UNSEARCHED
    if request.op != "search" and hit.kind not in _FOUND.get(request.recipe, _USUAL):
        return OTHER_KIND
    if request.channel is not None and hit.channel != request.channel and request.recipe != "community":
        return ELSEWHERE
    return MISSED


def _why_unfound(became: str, hit: Hit, why: Why) -> str:
    request, here = why.request, f"“{hit.channel}”" if hit.channel else "everyone's notes"
    if became == LATER:
        return "It came after the question."
    if became == UNSEARCHED:
        recipe = f"the recipe {request.recipe} has no search" if request.query else "there was no question"
        return f"Nothing was searched: {recipe}."
    if became == OTHER_KIND:
        return f"A {hit.kind} is not searched for here; it comes in only among what is shown anyway."
    if became == ELSEWHERE and request.scope == "person":
        return f"Said in {here}: whoever asked doesn't speak there, or it may not be heard here."
    if became == ELSEWHERE:
        return f"Said in {here}; only “{request.channel}” was looked into."
    if len(why.seen) >= MOST:
        return f"Not among the {MOST} best, which are all that is on record."
    return f"Not among the {len(why.seen)} that were found."


def _summed_up(hit: Hit, request: Request, shown: Context | None) -> str:
    """A summary of the very message was shown, and leaves it out."""
    if shown is None or hit.seq is None or hit.channel != request.channel:
        return ""
    for item in (item for part in shown.parts for item in part.items):
        if _covers(item, hit.seq):
            return f" A {item.kind} of the messages {item.first} to {item.last} was shown, and leaves it out."
    return ""


def _covers(item: Item, seq: int) -> bool:
    return item.kind in _SUMMARIES and item.first <= seq <= item.last


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
