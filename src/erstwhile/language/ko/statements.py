"""The structure of Korean statements about a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from erstwhile.language.statements import ListedItems, Statements, Stems

_LIST: Final = re.compile(
    r"\A(?P<head>.*?)(?P<one>\S+?)(?:와|과|하고|이랑|랑|,) (?P<two>\S+?)(?P<end>(?:을|를|도) .*)\Z"
)
_JOINT: Final = re.compile(r"(?:(?<=[이살있없])|(?<=다니)|(?<=[일아어]하))고 (?!싶|있|계)")
_PARTICLE: Final = re.compile(
    r"(?:에서|에게|으로|이랑|하고|에|을|를|이|가|은|는|의|로|와|과|도|만|랑)\Z"
)
_EMPTY: Final = re.compile(
    r"\A(?:것|거|걸|사실|대해|대한|관한|내가|제가|나는|저는|내|제|나|저|그|이|난|전|나의|저의|말)(?:을|를|은|는|이|가|도)?\Z"
)


def _listed(part: str) -> ListedItems | None:
    match = _LIST.match(part)
    return ListedItems(match["head"], (match["one"], match["two"]), match["end"]) if match else None


def _clauses(body: str, subject: str) -> list[str]:
    """Split before each further verb: "비건이고 서울에 산다" is "비건이다" and "서울에 산다"."""
    pieces = _JOINT.split(body.rstrip("."))
    topic = body.split(" ", 1)[0] if subject else ""
    first = [f"{piece}다" for piece in pieces[:-1]]
    whole = [*first, pieces[-1]]
    return [whole[0], *(f"{topic} {piece}".strip() for piece in whole[1:])]


def _join(parts: Sequence[str], _subject: str) -> str:
    return ". ".join(part.rstrip(".") for part in parts) + "."


def _stems(words: str, names: Sequence[str]) -> Stems:
    """Return words without particles; True for the final verb, compared by its first sound."""
    pieces = [piece.strip(".,!?~") for piece in words.split()]
    pieces = [piece for piece in pieces if piece and not _EMPTY.match(piece)]
    others = (piece for piece in pieces if piece not in names)
    pieces = [piece for piece in others if _PARTICLE.sub("", piece) not in names]
    found = []
    for place, piece in enumerate(pieces):
        final = r"(?:다|다는|는다는|요|해|어|아|라는|다고|니다|함|하는|는)\Z"
        verb = place == len(pieces) - 1 and re.search(final, piece) is not None
        found.append((piece if verb else _PARTICLE.sub("", piece) or piece, verb))
    return tuple(found)


def _meets(stems: Stems, body: str) -> bool:
    return all(_sound_in(stem, body) if verb else stem in body for stem, verb in stems)


def _sound_in(verb: str, body: str) -> bool:
    """Return whether verbs begin alike ("산다", "살아요"): the first sound, without its final
    consonant."""

    def sound(word: str) -> int:
        return (ord(word[0]) - 0xAC00) // 28 if "가" <= word[:1] <= "힣" else -1

    return verb[:2] in body or any(sound(word) == sound(verb) for word in body.split())


STATEMENTS: Final = Statements(
    word_of="{}의 말: ",
    name=r"[^:,\n]{1,140}",
    everything=(
        r"(?:(?:나|저|{names})(?:에 대해서?|에 대한| 관한|에 관한|에 관해) ?)?(?:알고 있는 |아는 )?(?:거|것|건|걸)?(?:은|는)? ?"
        r"(?:모두|전부|모든 ?(?:것|걸|거|기억)|다)(?:을|를)?"
    ),
    listed=_listed,
    clauses=_clauses,
    join=_join,
    stems=_stems,
    meets=_meets,
)
