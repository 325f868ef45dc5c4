"""Find out why something is missing from an answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.clock import moment
from erstwhile.base.records import dataclass
from erstwhile.context.model import Context
from erstwhile.dashboard.recall import wording
from erstwhile.memories import homes
from erstwhile.requests.model import ExplainedCandidate, Explanation, Request
from erstwhile.search.model import Hit
from erstwhile.search.trace import BELOW, BUDGET, FLOOR, GONE, KEPT, MOST, SAME, SHOWN
from erstwhile.text import analyse

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
    if shown is None and best not in wording.IN:
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
        kept = [each.candidate.score for each in why.seen if each.candidate.fate in wording.IN]
        words = f"Found at rank {seen.rank}, but others scored higher."
        if kept:
            words += (
                f" Its score was {candidate.score:.2f}; the lowest score kept was {min(kept):.2f}."
            )
        return words
    return f"Found at rank {seen.rank}. {wording.fate(candidate.fate)}"


def _usual() -> tuple[str, ...]:
    """Return the kinds that most recipes search."""
    others = homes.grouped("summary", *homes.REPEATING)
    return tuple(kind for kind in ids.kinds() if kind not in others)


def _unfound(hit: Hit, request: Request) -> str:
    if hit.at > request.at:
        return LATER
    if not request.searched:
        return UNSEARCHED
    if request.op != "search" and hit.kind not in _FOUND.get(request.recipe, _usual()):
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
        if item.kind in homes.grouped("summary") and item.first <= hit.seq <= item.last:
            return f" A {item.kind} of the messages {item.first} to {item.last} was shown, and leaves it out."
    return ""


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
