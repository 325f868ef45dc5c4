"""The ranking, written as plainly as possible: every filter is a mask over all documents, every candidate is looked up anew.

It is slow and is the measure of the fast one: test_plain_ranking.py wants the same documents with the same scores from both.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.columns import Matrix, signs
from erstwhile.index.documents import Scope
from erstwhile.index.segment import Segment
from erstwhile.index.space_index import SpaceIndex
from erstwhile.index.traits import QUESTION, REPLY, REQUEST
from erstwhile.memories import registry
from erstwhile.search.question import Question
from erstwhile.search.rank import RankingOptions

Array = NDArray[Any]
Scored = tuple[Array, Array, dict[str, Array], int, int]  # places, scores, parts, by words, by meaning

K1, B = 1.2, 0.75
DAY = 86_400_000_000
FITTED, PLAIN = (-6.55, 3.6, 7.0), (-5.3, 5.0)
AROUND = (0.5, 0.25, 0.125)


class Asked:
    """A question over both segments, and the vectors of all documents by number."""

    def __init__(
        self, index: SpaceIndex, question: Question, options: RankingOptions, vectors: Mapping[int, Array]
    ) -> None:
        self.vectors = vectors
        both = (index.messages, index.memories)
        unknown = [term for term in question.terms if not any(len(each.find(term)[0]) for each in both)]
        self.question, self.options = question, options
        self.variants = {term: like for term in unknown if (like := index.messages.like(term))}

    def held(self, segment: Segment) -> dict[str, dict[int, float]]:
        """By term, how often it or words spelt like it are in which document."""
        found: dict[str, dict[int, float]] = {}
        for term in dict.fromkeys(self.question.terms):
            counts: dict[int, float] = {}
            for word, like in {term: 1.0, **self.variants.get(term, {})}.items():
                for place, count in zip(*(each.tolist() for each in segment.find(word)), strict=True):
                    weighed = float(np.float32(count) * np.float32(like))
                    counts[place] = max(counts.get(place, 0.0), weighed)
            if counts:
                found[term] = dict(sorted(counts.items()))
        return found


def rank(index: SpaceIndex, asked: Asked, scope: Scope) -> list[tuple[Any, ...]]:
    """Document, score, first message, parts, and whether it was set back, of the best; then how many were found by words,
    by meaning and by guessing."""
    options = asked.options
    channels = {scope.channel, *options.beyond} if scope.channel is not None else None
    memories = score(index.memories, asked, mask(index.memories, scope, channels, options.blocked), {})
    most = max(options.limit, 40)
    kinds = None if scope.kinds is None else [index.memories.code("kind", kind) for kind in scope.kinds]
    inside = np.isin(index.memories.columns["kind"], kinds) if kinds is not None else np.ones(len(index.memories), bool)
    ranked, counts = best(index.memories, memories, inside, most), memories[3:]
    if scope.kinds is None or "message" in scope.kinds:
        inside = mask(index.messages, scope, channels, options.blocked)
        messages = score(index.messages, asked, inside, lent(index, memories))
        ranked = sorted(ranked + best(index.messages, messages, inside, most), key=lambda each: -each[0][1])
        counts = messages[3:]
    return [*in_turns(ranked, most), (*counts, len(asked.variants))]


def mask(segment: Segment, scope: Scope, channels: set[str] | None, blocked: frozenset[str]) -> Array:
    columns = segment.columns
    chosen = columns["alive"] == 1
    if channels is not None:
        chosen = chosen & np.isin(columns["channel"], [segment.code("channel", each) for each in channels])
    if scope.person is not None:
        chosen = chosen & (columns["person"] == segment.code("person", scope.person))
    if scope.writer is not None:
        chosen = chosen & (columns["writer"] == segment.code("writer", scope.writer))
    if scope.since is not None:
        chosen = chosen & (columns["at"] >= scope.since)
    if scope.until is not None:
        chosen = chosen & (columns["at"] < scope.until)
    return chosen & ~np.isin(columns["person"], [segment.code("person", each) for each in blocked])


# Candidates


def candidates(
    segment: Segment, asked: Asked, inside: Array, held: Mapping[str, Mapping[int, float]], lent: Any
) -> Array:
    total = int(inside.sum())
    if total <= 1000:
        return np.flatnonzero(inside)
    many = max(100, asked.options.limit)
    found = set(by_words(segment, inside, held, many))
    vector = asked.options.vector
    if vector is not None:
        close = near(segment, asked.vectors, vector, 2 * many if total == segment.alive else 20 * many)
        close = close[inside[close]]
        found.update(close[np.argsort(-products(segment.matrix, vector, close), kind="stable")[:many]].tolist())
    found.update(place for place in lent if inside[place])
    if segment.talk:
        found.update(
            place for place in followed(segment, asked, by_words(segment, inside, held, many)) if inside[place]
        )
    if asked.options.fill and segment.talk and len(found) < asked.options.limit:
        sessions = {int(segment.columns["session"][place]) for place in found}
        found.update(np.flatnonzero(np.isin(segment.columns["session"], list(sessions)) & inside).tolist())
    return np.array(sorted(found), np.int64)


def by_words(segment: Segment, inside: Array, held: Mapping[str, Mapping[int, float]], many: int) -> list[int]:
    scores = np.zeros(len(segment), np.float32)
    touched: list[int] = []
    seen = 0
    for found in sorted(held.values(), key=len):
        if seen and seen + len(found) > 60_000:
            break
        places = np.array(list(found), np.int64)[-60_000:]
        counts = np.array(list(found.values()), np.float32)[-60_000:]
        seen += len(places)
        sizes = segment.columns["size"][places] * (segment.alive / max(1, segment.words))
        scores[places] += rarity(segment, len(places)) * counts * (K1 + 1) / (counts + K1 * (1 - B + B * sizes))
        touched += places.tolist()
    every = np.array([place for place in touched if inside[place]], np.int64)
    if len(every) > 4 * many:  # a document counts as often as it has words; of equal ones the first are taken
        every = every[np.lexsort((every, -scores[every]))[: 4 * many]]
    every = np.unique(every)
    best: list[int] = every[np.argsort(-scores[every], kind="stable")[:many]].tolist()
    return best


def near(segment: Segment, vectors: Mapping[int, Array], vector: Array, limit: int) -> Array:
    """Half of the signs of all vectors tell which sixteenfold are compared by all of them."""
    docs = segment.columns["doc"].tolist()
    there = np.array([place for place, doc in enumerate(docs) if doc in vectors], np.int64)
    if len(there) <= limit:
        return there
    wanted = signs(vector)
    differ = np.bitwise_count(signs(np.stack([vectors[docs[place]] for place in there])).T ^ wanted[:, None])
    half = max(1, len(wanted) // 2)
    first = differ[:half].sum(axis=0)
    worth = first <= np.sort(first)[min(16 * limit, len(there)) - 1]
    whole = differ.sum(axis=0)[worth]
    return there[worth][whole <= np.sort(whole)[limit - 1]]


def rarity(segment: Segment, holding: int) -> float:
    return float(np.log(1 + (max(segment.alive, holding) - holding + 0.5) / (holding + 0.5)))


# Evidence


def score(segment: Segment, asked: Asked, inside: Array, lent: Mapping[int, float]) -> Scored:
    held = asked.held(segment)
    chosen = candidates(segment, asked, inside, held, lent)
    if not len(chosen):
        return chosen, np.empty(0), {}, 0, 0
    places = np.array(sorted({each for place in chosen.tolist() for each in reach(segment, place)}), np.int64)
    sizes = segment.columns["size"][places].astype(np.float64)
    traits = segment.columns["traits"][places]
    everyone = segment.columns["traits"][segment.columns["alive"] == 1]
    assisted = bool(np.mean(everyone & REPLY > 0) > 0.2)
    usual = float(np.median(np.maximum(1, sizes)))
    if assisted:
        own = np.maximum(1, sizes[traits & REPLY == 0])
        usual = min(20.0, float(np.median(own))) if len(own) else 20.0
    lean = np.minimum(1.0, usual / np.maximum(1, sizes))
    row = {place: number for number, place in enumerate(places.tolist())}
    beside = {side: np.array([_rows(segment, row, place, side) for place in row]) for side in SIDES}

    def spread(values: Array) -> Array:
        leaning, shares = np.append(values * lean, 0.0), np.zeros(len(values))
        for step, weight in enumerate(AROUND):
            shares += weight * (leaning[beside["before"][:, step]] + leaning[beside["after"][:, step]])
        return np.asarray(values + lean * shares)

    counts = {term: np.array([found.get(place, 0.0) for place in row]) for term, found in held.items()}
    lengths = spread(sizes) / max(1e-9, float(spread(sizes).mean()))
    words = np.zeros(len(places))
    for term, count in counts.items():
        told = count if term in asked.question.names else spread(count)
        weight = rarity(segment, len(held[term]))
        words = words + weight * (told * (K1 + 1) / (told + K1 * (1 - B + B * lengths)))
    cosine, centred = meaning(segment, asked, places)
    parts = {"words": standard(words)}
    if centred is not None:
        parts["meaning"] = asked.options.weight * standard(spread(standard(centred)))
    if asked.question.people or asked.question.replied:
        parts["speaker"] = 1.5 * np.minimum(3.0, standard(speaks(segment, asked, places) * 1.0))
    if asked.question.spans:
        parts["date"] = np.minimum(3.0, standard(dated(segment.columns["at"][places], asked) * 1.0))
    summed = np.sum(list(parts.values()), axis=0)
    shares = {name: (part - part.mean()) / (summed.std() or 1.0) for name, part in parts.items()}
    shares["session"] = 0.25 * standard(sessions(segment, places, counts))
    shares["source"] = np.array([lent.get(place, 0.0) for place in row])
    asking = 0.5 * (traits & QUESTION > 0)
    shares["substance"] = sizes / (sizes + usual) - asking
    if assisted:
        enough, shorter = np.minimum(20, sizes), np.minimum(1.0, 20 / np.maximum(1, sizes))
        shares["substance"] = enough / (enough + usual) - asking * shorter + 0.5 * (traits & REQUEST > 0)
    shares["substance"] = 2.0 * shares["substance"] if segment.talk else np.zeros(len(places))
    terms = set(asked.question.terms)
    weights = {term: 1 + rarity(segment, len(held.get(term, ()))) for term in terms - asked.question.names or terms}
    covered = sum((weights.get(term, 0.0) * np.minimum(1, spread(count)) for term, count in counts.items()), start=0.0)
    share = covered / (sum(weights.values()) or 1.0)
    odds = PLAIN[0] + PLAIN[1] * share if centred is None else FITTED[0] + FITTED[1] * share + FITTED[2] * centred
    shares["relevance"] = np.broadcast_to(1 / (1 + np.exp(-odds)), len(places))
    scores = standard(summed) + shares["session"] + shares["source"] + shares["substance"]
    if segment.talk:
        own = np.zeros(len(places))
        for term, count in counts.items():
            length = sizes / sizes.mean()
            own = own + rarity(segment, len(held[term])) * count * (K1 + 1) / (count + K1 * (1 - B + B * length))
        has = standard(own) + (standard(centred) if centred is not None else 0.0)
        shares["event"] = np.array([happened(segment, asked, place) for place in row])
        shares["answer"] = np.array(
            [0.1 * has[n] if not assisted and (n := asks_before(segment, row, place)) >= 0 else 0.0 for place in row]
        )
        shares["linked"], shares["hops"] = linked(segment, asked, list(row), scores)
        scores = scores + shares["event"] + shares["answer"] + shares["linked"]
    close = nearest(cosine) if cosine is not None else np.zeros(len(places), bool)
    itself = np.any([count > 0 for count in counts.values()], axis=0) if counts else np.zeros(len(places), bool)
    led = (shares["source"] > 0) | (shares["linked"] > 0 if segment.talk else False)
    matching = inside[places] & (((words > 0) | led if asked.options.beside else itself) | close)
    if asked.options.fill and matching.sum() < asked.options.limit:
        talked = segment.columns["session"][places]
        around = np.isin(talked, talked[matching]) if segment.talk else np.zeros(len(places), bool)
        nearer = (cosine >= 0.15) & (cosine > cosine.mean()) if cosine is not None else around
        matching = matching | (inside[places] & (around | nearer))
    order = [n for n in np.lexsort((-segment.columns["at"][places], -scores)).tolist() if matching[n]]
    telling = (terms - asked.question.names or terms) - asked.variants.keys()
    tells = [count > 0 for term, count in counts.items() if term in telling]
    by_words = int((np.any(tells, axis=0) & inside[places]).sum()) if tells else 0
    found = {name: share[order] for name, share in shares.items()}
    return places[order], scores[order], found, by_words, int((close & inside[places]).sum())


# The second look


def happened(segment: Segment, asked: Asked, place: int) -> float:
    """The share of the time a message tells of that is in a time of the question, and one if it asks for a time."""
    first, days = int(segment.columns["first_day"][place]), int(segment.columns["days"][place])
    if not days:
        return 0.0
    shares = [0.0]
    for begin, end in asked.question.spans:
        low = first if begin is None else max(first, begin / DAY)
        high = first + days if end is None else min(first + days, end / DAY - 7)
        shares.append((high - low) / days)
    return max(shares) + asked.question.asks_when


def asks_before(segment: Segment, row: Mapping[int, int], place: int) -> int:
    """The row of the message before, if it is another's question."""
    before = neighbours(segment, place, "before")[0]
    if before not in row or not segment.columns["traits"][before] & QUESTION:
        return -1
    return row[before] if segment.columns["person"][before] != segment.columns["person"][place] else -1


def names_of(segment: Segment, asked: Asked, place: int) -> list[int]:
    """The names in a message that the question doesn't have."""
    told = {0, *(zlib.crc32(term.encode()) for term in asked.question.terms)}
    names = [int(segment.columns[f"name{number}"][place]) for number in range(3)]
    return [name for name in names if name not in told]


def linked(segment: Segment, asked: Asked, places: Sequence[int], scores: Array) -> tuple[Array, Array]:
    """How much names link each to the first hits, and how much of that each name does."""
    named = [names_of(segment, asked, place) for place in places]
    holding = Counter(name for names in named for name in names)
    rare = {name: count for name, count in holding.items() if count <= max(3.0, 0.05 * len(places))}
    best = np.argsort(-np.round(scores, 6), kind="stable")[:10].tolist()
    best = [number for number in best if scores[number] > 0]
    total = sum(float(scores[number]) for number in best)
    hops = np.array([Counter[int]() for _ in places], object)
    for number, names in enumerate(named):
        for name in filter(rare.__contains__, names):
            weight = np.log(1 + (len(places) - rare[name] + 0.5) / (rare[name] + 0.5))
            for hit in best:
                hops[number][name] += weight * scores[hit] / total * named[hit].count(name) * (hit != number)
    return np.clip(0.5 * np.array([sum(each.values()) for each in hops]), 0.0, 1.5), hops


def followed(segment: Segment, asked: Asked, first: Sequence[int]) -> list[int]:
    names = [name for place in first[:10] for name in names_of(segment, asked, place)]
    every = [(place, name) for place in range(len(segment)) for name in set(names_of(segment, asked, place))]
    found: list[int] = []
    for name in list(dict.fromkeys(names))[:4]:
        there = [place for place, held in every if held == name]
        found += there if len(there) <= 50 else []
    return found


SIDES = ("before", "after")


def neighbours(segment: Segment, place: int, side: str) -> list[int]:
    """The next three on one side, in the same session; -1 from where there are no more."""
    found: list[int] = []
    sessions = segment.columns["session"]
    for _ in AROUND:
        there = int(segment.columns[side][place]) if place >= 0 else -1
        place = there if there >= 0 and sessions[there] == sessions[place] else -1
        found.append(place)
    return found


def _rows(segment: Segment, row: Mapping[int, int], place: int, side: str) -> list[int]:
    """Where these are among the candidates; what is beyond one that is not there is not seen."""
    found = [row.get(each, -1) for each in neighbours(segment, place, side)]
    return [each if -1 not in found[:step] else -1 for step, each in enumerate(found)]


def reach(segment: Segment, place: int) -> list[int]:
    around = [each for side in SIDES for each in neighbours(segment, place, side)] if segment.talk else []
    return [place, *(each for each in around if each >= 0)]


def speaks(segment: Segment, asked: Asked, places: Array) -> Array:
    replies = segment.columns["traits"][places] & REPLY > 0
    if asked.question.replied:
        return np.asarray(replies)
    codes = [segment.code("person", person) for person in asked.question.people]
    said = np.isin(segment.columns["person"][places], codes)
    return np.asarray(said & ~replies if None in asked.question.people else said)


def meaning(segment: Segment, asked: Asked, places: Array) -> tuple[Array, Array] | tuple[None, None]:
    if asked.options.vector is None:
        return None, None
    found = cosines(segment, asked.options.vector, places)
    known = ~np.isnan(found[0])
    if not known.any():
        return None, None
    return np.where(known, found[0], found[0][known].mean()), np.where(known, found[1], found[1][known].mean())


def cosines(segment: Segment, vector: Array, places: Array) -> tuple[Array, Array]:
    """Plain, and as seen from the middle of all."""
    middle = segment.matrix.middle(segment.columns["alive"])
    if len(middle) != len(vector):
        return np.full(len(places), np.nan), np.full(len(places), np.nan)
    plain, along = products(segment.matrix, vector, places), products(segment.matrix, middle, places)
    across, length = float(vector.astype(float) @ middle), float(middle.astype(float) @ middle)
    apart = np.maximum(1e-9, (1 + length - 2 * along) * (1 - 2 * across + length))
    return plain, (plain - along + length - across) / np.sqrt(apart)


def products(matrix: Matrix, vector: Array, places: Array) -> Array:
    """Summed up in eight lanes and with as few digits as the ranking does it: other sums differ in the seventh digit."""
    scale = np.append(matrix.arrays["scale"], 0.0).astype(float)[np.minimum(places, len(matrix.arrays["scale"]))]
    rows = np.zeros((len(places), len(vector)), np.float32)
    rows[scale > 0] = matrix.arrays["bytes"][places[scale > 0]]
    found = np.zeros(len(places), np.float32)
    for lane in range(8):
        summed = np.zeros(len(places), np.float32)
        for dimension in range(lane, len(vector), 8):
            summed += rows[:, dimension] * vector[dimension]
        found += summed
    return np.asarray(np.where(scale > 0, found.astype(float) * scale, np.nan))


def nearest(cosine: Array) -> Array:
    above = standard(cosine)
    if len(cosine) <= 2:
        return np.asarray(cosine >= 0.3)
    return np.asarray(((cosine >= 0.3) & (above >= 1.0)) | ((cosine >= 0.15) & (above >= 3.0)))


def dated(at: Array, asked: Asked) -> Array:
    found = np.zeros(len(at), bool)
    for first, last in asked.question.spans:
        found |= (at >= (at if first is None else first)) & (True if last is None else at < last)
    return found


def sessions(segment: Segment, places: Array, counts: Mapping[str, Array]) -> Array:
    named, row = np.unique(segment.columns["session"][places], return_inverse=True)
    if len(named) < 2 or not counts or not segment.talk:
        return np.zeros(len(places))
    sizes = np.bincount(row, weights=segment.columns["size"][places])
    scores = np.zeros(len(named))
    for count in counts.values():
        held = np.bincount(row, weights=count, minlength=len(named))
        weight = np.log(1 + (len(named) - (held > 0).sum() + 0.5) / ((held > 0).sum() + 0.5))
        scores = scores + weight * (held * (K1 + 1) / (held + K1 * (1 - B + B * sizes / sizes.mean())))
    return np.asarray(scores[row])


def standard(values: Array) -> Array:
    return (values - values.mean()) / values.std() if values.std() > 1e-12 else np.zeros(len(values))


# The list


def lent(index: SpaceIndex, memories: Scored) -> dict[int, float]:
    found: dict[int, float] = {}
    memory, messages = index.memories, index.messages
    repeating = [memory.code("kind", kind) for kind in registry.grouped(*registry.REPEATING)]
    lending = 0
    for place, score in zip(memories[0].tolist(), memories[1].tolist(), strict=True):
        lending += int(memory.columns["kind"][place]) not in repeating
        if score <= 0 or lending > 20:
            break
        first, last = int(memory.columns["seq"][place]), int(memory.columns["until"][place])
        if first < 0 or last - first > 9:
            continue
        channel = messages.code("channel", memory.names("channel")[int(memory.columns["channel"][place])])
        columns = messages.columns
        there = (columns["alive"] == 1) & (columns["channel"] == channel)
        for said in np.flatnonzero(there & (columns["seq"] >= first) & (columns["seq"] <= last)).tolist():
            found[said] = max(found.get(said, 0.0), 0.5 * min(score, 3.0) / (last - first + 1))
    return found


def best(segment: Segment, scored: Scored, inside: Array, most: int) -> list[tuple[tuple[Any, ...], tuple[Any, Any]]]:
    places, scores, parts = scored[:3]
    found = []
    for number in np.flatnonzero(inside[places])[: most + 20].tolist():
        doc, seq, until, words, channel = (
            int(segment.columns[name][places[number]]) for name in ("doc", "seq", "until", "words", "channel")
        )
        origin = (segment.names("channel")[channel], seq) if seq == until >= 0 else doc
        made_of = {name: part[number] if name == "hops" else float(part[number]) for name, part in parts.items()}
        entry = (doc, float(scores[number]), seq if seq >= 0 else None, made_of)
        found.append((entry, (origin, ("words", words))))
    return found


def in_turns(ranked: Sequence[tuple[tuple[Any, ...], tuple[Any, Any]]], limit: int) -> list[tuple[Any, ...]]:
    turns: Counter[Any] = Counter()
    first: list[tuple[Any, ...]] = []
    later: list[tuple[Any, ...]] = []
    for entry, sources in ranked:
        turns.update(sources)
        set_back = any(turns[source] > 2 for source in sources)
        (later if set_back else first).append((*entry, set_back))
        if len(first) >= limit:
            break
    return first + later[: limit - len(first)]
