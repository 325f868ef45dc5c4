"""Remembering and forgetting without a model: the words stay as they were told, line by line. Plain functions.

Newer wins where both can't hold; whose word a line is decides who may put another in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from erstwhile.layers.remembered import lines, slots, third
from erstwhile.layers.remembered.lines import Line
from erstwhile.text import analyse

_VERBS: Final = (
    "is|has|was|lives|works|likes|loves|hates|dislikes|enjoys|plays|speaks|studies|owns|prefers|drives|eats|drinks|goes|wants|needs|moved"
    "|got|can|cannot|can't|doesn't|isn't|collects|reads|watches|runs|teaches|knows|uses|makes|grew|comes|came|started|quit|wears|sings|writes"
    "|cooks|travels|supports|used|never|always|no longer"
)
_JOINT: Final = re.compile(
    rf"(?:,? (?:and|but) |; )(?:(?:he|she|they) )?(?=(?:also |now )?(?:{_VERBS})\b)", re.IGNORECASE
)
_CHINESE_KIN: Final = (
    "妈妈|媽媽|母亲|母親|爸爸|父亲|父親|父母|爸妈|哥哥|弟弟|姐姐|妹妹|老婆|妻子|太太|老公|丈夫|先生|女朋友|男朋友|女友|男友|儿子|兒子|女儿|女兒"
    "|孩子|爷爷|奶奶|外公|外婆|叔叔|阿姨|同事|同学|同學|室友|朋友|老板|邻居|家人|狗|猫|貓"
)
_CHINESE_JOINT: Final = re.compile("[，；]")
_LIST: Final = re.compile(
    r"\A(?P<head>.*?\b(?:likes|loves|hates|dislikes|enjoys|plays|speaks|owns|eats|drinks|collects|has|allergic to|prefers|wants|knows) )"
    r"(?P<items>[^.!?;]+?(?:, [^.!?;]+?)*,? and [^.!?;]+?)(?P<end>[.!]?)\Z",
    re.IGNORECASE,
)
_KOREAN_LIST: Final = re.compile(
    r"\A(?P<head>.*?)(?P<one>\S+?)(?:와|과|하고|이랑|랑|,) (?P<two>\S+?)(?P<end>(?:을|를|도) .*)\Z"
)
_CHINESE_LIST: Final = re.compile(
    r"\A(?P<head>.*?(?:喜欢|喜歡|爱吃|爱喝|讨厌|会说|有))(?P<items>[^，。]+?[和、与跟][^，。]+?)(?P<end>[。！]?)\Z"
)
# All of it, of nothing but the person: "everything about pizza" is about pizza.
_EVERYTHING: Final = (
    r"(?:absolutely )?(?:everything|all)(?: (?:that )?you(?:['’]ve| have)? (?:know|remember|learned|stored|saved|been told))?"
    r"(?: (?:about|of|on) (?:me|him|her|them|myself|{names}))?",
    r"(?:(?:나|저|{names})(?:에 대해서?|에 대한| 관한|에 관한|에 관해) ?)?(?:알고 있는 |아는 )?(?:거|것|건|걸)?(?:은|는)? ?"
    r"(?:모두|전부|모든 ?(?:것|걸|거|기억)|다)(?:을|를)?",
    r"(?:(?:关于|關於|有关|有關)?(?:我|他|她|{names})的?)?(?:一切|所有(?:的?(?:事情|事|信息|记忆|东西))?|全部)",
)
_ABOUT_NOTHING: Final = frozenset(
    analyse.terms(
        "fact facts thing things told said tell say mention mentioned remember know about information detail part anymore"
    )
)
_STATES: Final = re.compile(
    rf"\b(?:{_VERBS}|am|are|were|have|live|work|like|love|hate|prefer|play|speak|own|eat|drink|want|need)\b",
    re.IGNORECASE,
)
_PARTICLE: Final = re.compile(r"(?:에서|에게|으로|이랑|하고|에|을|를|이|가|은|는|의|로|와|과|도|만|랑)\Z")
_KOREAN_EMPTY: Final = re.compile(
    r"\A(?:것|거|걸|사실|대해|대한|관한|내가|제가|나는|저는|내|제|나|저|그|이|난|전|나의|저의|말)(?:을|를|은|는|이|가|도)?\Z"
)
_CHINESE_EMPTY: Final = re.compile("关于|關於|有关|这件事|這件事|的事情?|我说过?的?|我|的|了|吧|吗|呢")


@dataclass(frozen=True, slots=True)
class Teller:
    """Whose word it is: "" for the person's own and the app's, who may put anything in its place or take it away. `labels`: all the
    names under which earlier lines are the same one's."""

    label: str = ""
    labels: frozenset[str] = frozenset()

    @property
    def own(self) -> bool:
        return not self.label

    def may_touch(self, line: Line) -> bool:
        return self.own or line.author == self.label or line.author in self.labels


@dataclass(frozen=True, slots=True)
class Merged:
    """`changed`: whether anything did; `removed`: lines that are gone."""

    text: str
    changed: bool
    removed: tuple[str, ...] = ()


Gone = Callable[[str], bool]
Names = tuple[str, ...]  # of the person: the one in use first, then the others


def remember(text: str, words: str, names: Names, teller: Teller, flag: str = "") -> Merged:
    known = lines.parse(text)
    if flag:
        said = lines.quotation(words, teller.label or (names[0] if names else ""))
        return _merged(text, known, known if said in known else [*known, said])
    kept = known
    for body in third.statements(lines.seen(words), names[0], names[1:], teller=teller.label):
        kept = _taken_in(kept, _safe(Line(body, teller.label), names), names, teller)
    return _merged(text, known, kept)


def _safe(line: Line, names: Names) -> Line:
    """What would be read as somebody else's word is told with the person's name in front; what is no single statement even so, quoted."""
    if lines.whole(line):
        return line
    named = replace(line, body=f"{names[0]}: {line.body}")
    return named if lines.whole(named) else lines.quotation(line.body, line.author or names[0])


def overruled(known: Sequence[Line], words: str, names: Names, teller: Teller) -> list[Line]:
    """Lines without what the words contradict, as far as the teller may."""
    kept = list(known)
    for body in third.statements(lines.seen(words), names[0], names[1:], teller=teller.label):
        free = [
            line if line.quoted or not teller.may_touch(line) else _without_contradiction(line, body, names)
            for line in kept
        ]
        kept = [line for line in free if line is not None]
    return kept


def everything(words: str, names: Names) -> bool:
    """Whether all that is told of the person is meant."""
    named = "|".join(map(re.escape, filter(None, names)))
    said = words.strip().rstrip(".!。！~ ")
    return any(re.fullmatch(each.format(names=named), said, re.IGNORECASE) for each in _EVERYTHING)


def forget(text: str, words: str, names: Names, teller: Teller) -> Merged:
    known = lines.parse(text)
    kept: list[Line] = []
    clear = everything(words, names)
    wanted = _Wanted.of(lines.seen(words), names, teller.label)
    for line in known:
        if not teller.may_touch(line):
            kept.append(line)
        elif not clear:
            left = _left(line, lambda part: wanted.meets(part, names), names)
            kept += [left] if left else []
    return _merged(text, known, kept)


def _merged(text: str, known: Sequence[Line], kept: Sequence[Line]) -> Merged:
    if list(known) == list(kept):
        return Merged(text, changed=False)
    gone = tuple(line.text for line in known if line not in kept)
    return Merged(lines.render(kept), True, gone)


# Remembering


def _taken_in(known: list[Line], new: Line, names: Names, teller: Teller) -> list[Line]:
    if any(_same(line, new, names) for line in known):
        return known
    kept: list[Line] = []
    place = None
    for line in known:
        left: Line | None = line
        if not line.quoted and teller.may_touch(line):
            left = _without_contradiction(line, new.body, names)
        if left is not line and place is None:
            place = len(kept) + (1 if left is not None else 0)
        kept += [left] if left is not None else []
    kept.insert(len(kept) if place is None else place, new)
    return kept


def _same(line: Line, new: Line, names: Names) -> bool:
    if line.quoted or line.author != new.author:
        return False
    if _bare(line.body) == _bare(new.body):
        return True
    said = slots.of(new.body, names)
    return said is not None and any(
        (told := slots.of(part, names)) is not None
        and told.same(said)
        and slots.terms(part, names) >= slots.terms(new.body, names)
        for part in _parts(line.body, names)
    )


def _parts(body: str, names: Names) -> list[str]:
    """Every single thing that a sentence says."""
    found = []
    for part in clauses(body, names):
        several = _listed(part)
        found += [several.alone(item) for item in several.items] if several else [part]
    return found


def _bare(body: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", body.casefold()).split())


def _without_contradiction(line: Line, new: str, names: Names) -> Line | None:
    slot = slots.of(new, names)

    def clashes(clause: str) -> bool:
        told = slots.of(clause, names)
        if slot is not None and told is not None and slot.contradicts(told):
            return True
        return slots.opposite(new, clause, names)

    return _left(line, clashes, names)


def _left(line: Line, gone: Gone, names: Names) -> Line | None:
    """What is left of a line without the parts that are `gone`; the line itself if none is."""
    parts = clauses(line.body, names)
    left: list[str] = []
    for part in parts:
        shorter = _without_item(part, gone)
        if shorter is not None:
            left.append(shorter)
        elif not gone(part):
            left.append(part)
    if left == parts:
        return line
    if len(parts) == 1 and left:
        return replace(line, body=left[0] if re.search(r"[.。!]\Z", left[0]) else left[0] + line.body[-1:])
    return _joined(line, left, names)


def clauses(body: str, names: Names) -> list[str]:
    """What a sentence says, part by part, each with its subject."""
    if re.search("[\u4e00-\u9fff]", body) and not re.search("[가-힣]", body):
        pieces = [piece for piece in _CHINESE_JOINT.split(body.rstrip("。")) if piece.strip()]
        subject = _subject(body, names)
        return [piece if piece.startswith(subject) else subject + piece for piece in pieces]
    subject = _subject(body, names) or body.split(" ", 1)[0]
    pieces = _JOINT.split(body.rstrip("."))
    return [pieces[0].strip(), *(f"{subject} {piece.strip()}" for piece in pieces[1:])]


def _subject(body: str, names: Names) -> str:
    """Of whom it is: the person, or someone or something of theirs ("Alice's mother")."""
    for name in filter(None, names):
        match = re.match(
            rf"{re.escape(name)}(?:['’]s .+?(?= (?:{_VERBS})\b)|(?:的?(?:{_CHINESE_KIN}))+)?", body, re.IGNORECASE
        )
        if match:
            return match[0]
    return ""


def _joined(line: Line, left: Sequence[str], names: Names) -> Line | None:
    """One sentence again; what had its subject from the part before it loses it again."""
    if not left:
        return None
    if re.search("[\u4e00-\u9fff]", left[0]):
        subject = _subject(left[0], names)
        return replace(line, body="，".join([left[0], *(part.removeprefix(subject) for part in left[1:])]) + "。")
    subject = _subject(left[0], names)
    rest = [part[len(subject) :].strip() if subject else part for part in left[1:]]
    return replace(line, body=" and ".join([left[0], *rest]).rstrip(".") + ".")


# Forgetting


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be forgotten. A bare topic ("pizza") has no direction: whatever is told of it goes."""

    slot: slots.Slot | None
    terms: frozenset[str]
    korean: tuple[tuple[str, bool], ...]
    states: bool
    negated: bool

    @classmethod
    def of(cls, words: str, names: Names, teller: str) -> _Wanted:
        said = third.statements(words, names[0], names[1:], teller=teller) or [words]
        korean = re.search("[가-힣]", words) is not None
        chinese = not korean and re.search("[\u4e00-\u9fff]", words) is not None
        plain = _CHINESE_EMPTY.sub("", words) if chinese else words
        terms = slots.terms(plain, names) - (frozenset() if korean or chinese else _ABOUT_NOTHING | _OWN_WORDS)
        stems = _korean_stems(words, names) if korean else ()
        states = any(verb for _, verb in stems) if korean else (not chinese and bool(_STATES.search(words)))
        return cls(slots.of(said[0], names), terms, stems, states or chinese, slots.negated(words))

    def meets(self, body: str, names: Names) -> bool:
        told = slots.of(body, names)
        if self.slot is not None and told is not None:
            if self.slot.name == told.name:
                return self.slot.same(told) or (self.slot.value == told.value and self.slot.side == told.side)
            return False
        if self.states and self.negated != slots.negated(body):
            return False
        if self.korean:
            return _korean_meets(self.korean, body)
        there = frozenset(analyse.terms(body))
        return bool(self.terms) and self.terms <= there


_OWN_WORDS: Final = frozenset(analyse.terms("i me my mine myself his her him their them our we he she they"))


def _without_item(part: str, gone: Gone) -> str | None:
    """A list that loses what is `gone` of it; None when that is nothing, or all."""
    found = _listed(part)
    if found is None:
        return None
    left = [item for item in found.items if not gone(found.alone(item))]
    return found.of(left) if left and len(left) < len(found.items) else None


@dataclass(frozen=True, slots=True)
class _Listed:
    """Several things in one sentence: "likes pizza and pasta"."""

    head: str
    items: tuple[str, ...]
    end: str
    joints: tuple[str, str] = (", ", " and ")

    def alone(self, item: str) -> str:
        return f"{self.head}{item}{self.end}"

    def of(self, items: Sequence[str]) -> str:
        comma, joint = self.joints
        return self.alone(comma.join(items[:-1]) + joint + items[-1] if len(items) > 1 else items[0])


def _listed(part: str) -> _Listed | None:
    english, chinese, korean = _LIST.match(part), _CHINESE_LIST.match(part), _KOREAN_LIST.match(part)
    if english:
        return _Listed(english["head"], tuple(re.split(r",? and |, ", english["items"])), english["end"])
    if korean:
        return _Listed(korean["head"], (korean["one"], korean["two"]), korean["end"])
    if chinese:
        return _Listed(chinese["head"], tuple(re.split("[和、与跟]", chinese["items"])), chinese["end"], ("、", "和"))
    return None


def _korean_stems(words: str, names: Names) -> tuple[tuple[str, bool], ...]:
    """The words without their particles; True for the verb, which is at the end and is compared by its first sound."""
    pieces = [piece.strip(".,!?~") for piece in words.split()]
    pieces = [piece for piece in pieces if piece and not _KOREAN_EMPTY.match(piece)]
    pieces = [piece for piece in pieces if _PARTICLE.sub("", piece) not in names and piece not in names]
    found = []
    for place, piece in enumerate(pieces):
        verb = (
            place == len(pieces) - 1
            and re.search(r"(?:다|다는|는다는|요|해|어|아|라는|다고|니다|함|하는|는)\Z", piece) is not None
        )
        found.append((piece if verb else _PARTICLE.sub("", piece) or piece, verb))
    return tuple(found)


def _korean_meets(stems: Sequence[tuple[str, bool]], body: str) -> bool:
    return all(_sound_in(stem, body) if verb else stem in body for stem, verb in stems)


def _sound_in(verb: str, body: str) -> bool:
    """Whether "산다" and "살아요" begin alike: the first sound, without the consonant that closes it."""

    def sound(word: str) -> int:
        return (ord(word[0]) - 0xAC00) // 28 if "가" <= word[:1] <= "힣" else -1

    return verb[:2] in body or any(sound(word) == sound(verb) for word in body.split())
