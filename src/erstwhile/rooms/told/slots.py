"""What a statement in the third person tells: which of the things one has only one of, or which taste. Plain functions.

As with structured memories: another value in the same slot contradicts the one before. Precision before recall.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from erstwhile.rooms.structured import threads
from erstwhile.rooms.structured.model import key
from erstwhile.text import analyse

TASTE: Final = "taste"

_ADVERB: Final = r"(?:(?:now|currently|just|recently|finally|actually|still|already|also|really|always|absolutely) )*"
# What a value can lose: when, why and how much.
_TAIL: Final = (
    r"(?: (?:because|since|when|although|though|so|last|this|next|these days|any ?more|too|very much|a lot|now|again|with|for|on|until"
    r"|in (?:the )?\d{4}|\w+ (?:years?|months?|weeks?) ago)\b.*)?"
)
_THING: Final = r"(?P<value>[^.!?;]+?)"
_WORK: Final = (
    "accountant|actor|actress|analyst|architect|artist|baker|barista|bartender|carpenter|chef|consultant|cook|dentist|designer|developer"
    "|doctor|driver|electrician|engineer|farmer|firefighter|freelancer|gardener|hairdresser|journalist|lawyer|lecturer|librarian|mechanic"
    "|midwife|musician|nurse|paramedic|pharmacist|photographer|physicist|pilot|plumber|police officer|professor|programmer|psychologist"
    "|researcher|scientist|soldier|student|surgeon|teacher|therapist|translator|tutor|vet|waiter|waitress|welder|writer"
)
_DIETS: Final = "vegan|vegetarian|pescatarian|gluten[- ]free|lactose intolerant"
_STATUS: Final = "single|married|engaged|divorced|widowed"
_OWN: Final = (
    "name|age|birthday|email(?: address)?|phone(?: number)?|address|time ?zone|job|occupation|profession|employer|diet"
)

# (slot, whether it is over, pattern), of the statement behind the subject. The first that matches is taken.
_ENGLISH: Final = tuple(
    (slot, over, re.compile(pattern, re.IGNORECASE))
    for slot, over, pattern in (
        ("home", True, rf"(?:no longer lives|used to live|lived|doesn['’]t live) in {_THING}{_TAIL}$"),
        (
            "home",
            False,
            rf"{_ADVERB}(?:is )?{_ADVERB}(?:lives|living|based|settled|(?:has )?moved|relocated)(?: back)? ?(?:in|to) {_THING}{_TAIL}$",
        ),
        ("employer", True, rf"(?:no longer works|used to work|doesn['’]t work) (?:at|for) {_THING}{_TAIL}$"),
        (
            "employer",
            False,
            rf"{_ADVERB}(?:is )?(?:works|working|started(?: working)?|got a job) (?:at|for) {_THING}{_TAIL}$",
        ),
        ("job", False, rf"{_ADVERB}(?:is )?(?:works|working) as an? {_THING}(?: (?:at|for|in) .+)?$"),
        ("job", False, rf"is {_ADVERB}an? (?P<value>(?:[\w-]+ )?(?:{_WORK}))(?: (?:at|for|in) .+)?$"),
        ("name", False, rf"(?:is called|goes by|is named|prefers to be called) (?:the name )?{_THING}{_TAIL}$"),
        ("age", False, r"(?:is|(?:just |recently )?turned) (?P<value>\d{1,3})(?: years old)?$"),
        ("relationship", False, rf"(?:is {_ADVERB}|got )(?P<value>{_STATUS})\b.*$"),
        ("diet", True, rf"(?:is no longer|is not|isn['’]t|stopped being) (?:an? )?(?P<value>{_DIETS})$"),
        (
            "diet",
            False,
            rf"(?:is|became|went|turned|has become|has gone) {_ADVERB}(?:an? )?(?:strict )?(?P<value>{_DIETS})$",
        ),
        ("likes", True, rf"(?:no longer (?:likes|loves|enjoys)|stopped liking) {_THING}{_TAIL}$"),
        ("likes", True, r"doesn['’]t (?:like|love|enjoy) (?P<value>[^.!?;]+?) any ?more$"),
        (
            "dislikes",
            False,
            rf"{_ADVERB}(?:dislikes|hates|detests|can['’]t stand|doesn['’]t(?: really)? (?:like|enjoy)) {_THING}{_TAIL}$",
        ),
        ("likes", False, rf"{_ADVERB}(?:likes|loves|enjoys|adores) {_THING}{_TAIL}$"),
    )
)
_ENGLISH_OWN: Final = (
    re.compile(
        rf"['’]s (?:new |current )?(?P<what>{_OWN}) is (?:now )?(?:on )?(?:the )?{_THING}{_TAIL}$", re.IGNORECASE
    ),
    re.compile(
        rf"['’]s (?:new |all-time |absolute )?(?P<what>fav(?:ou?rite)? [\w ]{{2,30}}?) (?:is|are) (?:now )?{_THING}{_TAIL}$",
        re.IGNORECASE,
    ),
)
_KOREAN: Final = tuple(
    (slot, over, re.compile(pattern))
    for slot, over, pattern in (
        ("home", True, r"(?P<value>\S+?)에(?:서)? ?(?:안 살|살지 않|더 ?이상 안 살|살았)"),
        ("home", False, r"(?P<value>\S+?)에(?:서)? (?:살|산다|삽니다|거주)|(?P<value2>\S+?)(?:으로|로) 이사"),
        ("employer", False, r"(?P<value>\S+?)에서 일(?:해|하|합|한)|(?P<value2>\S+?)에 (?:다녀|다니|다닙|취직)"),
        (
            "job",
            False,
            r"직업은 (?P<value>\S+?)(?:이에요|예요|입니다|이야|야|이다|다)?$|(?P<value2>\S+?)(?:으로|로) 일(?:해|하|합|한)",
        ),
        ("name", False, r"이름은 (?P<value>\S+?)(?:이에요|예요|입니다|이야|야|이다|다)?$"),
        ("age", False, r"(?P<value>\d{1,3})살"),
        ("birthday", False, r"생일은 (?P<value>\d{1,2}월 ?\d{1,2}일)"),
        ("relationship", False, r"(?P<value>미혼|기혼|싱글|솔로)|(?P<value2>결혼|이혼|약혼)했"),
        ("diet", False, r"(?P<value>비건|채식주의자|베지테리언)"),
        (
            "favourite",
            False,
            r"(?:제일|가장) 좋아하는 (?P<what>\S+?)(?:은|는) (?P<value>.+?)(?:이에요|예요|입니다|이야|야|이다|다)?$",
        ),
        ("likes", True, r"(?:이제|더 ?이상) (?:더 ?이상 )?(?P<value>\S+?)(?:을|를|은|는)? (?:안 좋아|좋아하지 않)"),
        ("dislikes", False, r"(?P<value>\S+?)(?:을|를|은|는|도)? (?:\S+ )?(?:싫어|안 좋아|좋아하지 않|못 ?먹)"),
        ("likes", False, r"(?P<value>\S+?)(?:을|를|도) (?:\S+ )?(?:좋아|사랑)"),
    )
)
_CHINESE: Final = tuple(
    (slot, over, re.compile(pattern))
    for slot, over, pattern in (
        (
            "home",
            True,
            r"不(?:再)?住(?:在)?(?P<value>[^，。！？]{2,8}?)了?$|以前住(?:在)?(?P<value2>[^，。！？]{2,8})$",
        ),
        (
            "home",
            False,
            r"住(?:在|到)?(?P<value>[^，。！？了]{2,8})了?$|搬(?:家)?(?:到|去|来|來)了?(?P<value2>[^，。！？了]{2,8})了?$",
        ),
        ("employer", False, r"在(?P<value>[^，。！？]{2,12}?)(?:工作|上班)"),
        (
            "job",
            False,
            r"是(?:一?[名位个個])?(?P<value>老师|老師|医生|醫生|护士|護士|工程师|工程師|程序员|律师|律師|设计师|設計師|学生|學生|厨师|司机|会计|记者|警察|公务员|翻译)$",
        ),
        ("age", False, r"(?P<value>\d{1,3})[岁歲]"),
        ("birthday", False, r"生日是(?P<value>[0-9一二三四五六七八九十]{1,3}月[0-9一二三四五六七八九十]{1,3}[号號日])"),
        ("relationship", False, r"(?P<value>单身|單身|结婚|結婚|离婚|離婚|订婚|訂婚)了?$"),
        ("diet", False, r"(?P<value>吃素|素食者|素食主义者)$"),
        ("favourite", False, r"最(?:喜欢|喜歡|爱|愛)的(?P<what>[^，。]{1,6}?)是(?P<value>[^，。！？]{1,16})$"),
        ("name", False, r"(?<!狗)(?<!猫)(?:的?名字叫|名字是|叫)(?P<value>[^，。！？]{1,10})$"),
        ("likes", True, r"不再?(?:喜欢|喜歡|爱吃|爱喝)(?P<value>[^，。！？]{1,12}?)了$"),
        ("dislikes", False, r"(?:讨厌|討厭|不喜欢|不喜歡|不爱吃|不爱喝|不爱)(?P<value>[^，。！？]{1,12})$"),
        ("likes", False, r"(?:喜欢|喜歡|爱吃|爱喝|爱看|愛吃|愛喝)(?P<value>[^，。！？]{1,12})$"),
    )
)
_NEGATED: Final = re.compile(
    r"\b(?:not|never|no longer|neither|nor|without|hates?|dislikes?|stopped|cannot|quit)\b|n['’]t\b"
    r"|(?:^|\s)(?:안|못) ?\S|지 (?:않|못)|싫어|없|不|没|沒|讨厌|討厭|别",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Slot:
    """`name` is what it tells, `value` what; `over`: it no longer is so. Likes and dislikes of one thing are one slot, by `side`."""

    name: str
    value: str
    over: bool = False
    side: str = ""

    def same(self, other: Slot) -> bool:
        return (
            self.name == other.name
            and self.value == other.value
            and self.over == other.over
            and self.side == other.side
        )

    def contradicts(self, other: Slot) -> bool:
        """Whether both can't hold at once."""
        if self.name != other.name:
            return False
        if self.over or other.over:
            return self.value == other.value and self.over != other.over
        return self.side != other.side if self.side else self.value != other.value


def of(body: str, names: tuple[str, ...]) -> Slot | None:
    """`names`: those of the person it is about, as the statement may name them."""
    said = body.strip().rstrip(".!。！~ ")
    for slot, over, value, what in _found(said, _without_subject(said, names)):
        if slot in threads.TASTES:
            return Slot(f"{TASTE} {key(value)}", key(value), over, slot)
        named = threads.slot(f"favourite {what}" if slot == "favourite" else slot)
        several = re.search(r"\b(?:and|but)\b", value) is not None  # it says more than the one thing
        if threads.single("fact", named) and not several:
            return Slot(named, key(value), over)
    return None


def _found(said: str, rest: str) -> list[tuple[str, bool, str, str]]:
    if re.search("[가-힣]", said):
        return _matched(_KOREAN, rest)
    if re.search("[\u4e00-\u9fff]", said):
        return _matched(_CHINESE, rest)
    for pattern in _ENGLISH_OWN:
        match = pattern.match(rest)
        if match:
            return [(re.sub(r"^fav(?:ou?rite)? ", "favourite ", match["what"].lower()), False, match["value"], "")]
    return _matched(_ENGLISH, rest, whole=True)


def _matched(
    rules: tuple[tuple[str, bool, re.Pattern[str]], ...], rest: str, *, whole: bool = False
) -> list[tuple[str, bool, str, str]]:
    for slot, over, pattern in rules:
        match = pattern.match(rest) if whole else pattern.search(rest)
        if match:
            groups = match.groupdict()
            return [(slot, over, groups.get("value") or groups.get("value2") or "", groups.get("what") or "")]
    return []


def _without_subject(said: str, names: tuple[str, ...]) -> str:
    for name in sorted(filter(None, names), key=len, reverse=True):
        match = re.match(rf"{re.escape(name)}(?:(?P<own>['’]s)|[은는이가의도] |: |：)?\s*", said, re.IGNORECASE)
        if match:
            return (match["own"] or "") + (" " if match["own"] else "") + said[match.end() :]
    return said


def negated(body: str) -> bool:
    return _NEGATED.search(body) is not None


def terms(body: str, names: tuple[str, ...]) -> frozenset[str]:
    """What a statement is about: its words, without the person's names."""
    own = {term for name in names for term in analyse.terms(name)}
    found = frozenset(analyse.query_terms(body))
    return found - own or found
