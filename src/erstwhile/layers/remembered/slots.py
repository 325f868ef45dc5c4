"""What a statement in the third person tells: which of the things one has only one of, or which taste. Plain functions.

As with structured memories: another value in the same slot contradicts the one before. Precision before recall.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from erstwhile.layers.structured import threads
from erstwhile.layers.structured.model import key
from erstwhile.text import analyse

TASTE: Final = "taste"
_LONGEST: Final = 400  # characters of a statement that tells one thing

_ADVERB: Final = r"(?:(?:now|currently|just|recently|finally|actually|still|already|also|really|always|absolutely) )*"
_MONTH: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
# What a value can lose: when, why and how much.
_TAIL: Final = (
    r"(?: (?:because|since|when|although|though|so|last|this|next|these days|any ?more|too|very much|a lot|now|again|with|for|on|until"
    rf"|in (?:the )?\d{{4}}|in (?:{_MONTH})|\w+ (?:years?|months?|weeks?) ago)\b.*)?"
)
# A place one lives in, with a name: whoever moved to a new flat may still live in the same town.
_PLACE: Final = r"(?!(?:an?|my|our|his|her|their|another|different|the same|the new|new)\b)(?P<value>[^.!?;]+?)"
_FIRM: Final = r"(?!(?:night|nights|home|least|once|weekends?|my own|myself|the moment)\b)(?P<value>[^.!?;]+?)"
_THING: Final = r"(?P<value>[^.!?;]+?)"
_WORK: Final = (
    "accountant|actor|actress|analyst|architect|artist|baker|barista|bartender|carpenter|chef|consultant|cook|dentist|designer|developer"
    "|doctor|driver|electrician|engineer|farmer|firefighter|freelancer|gardener|hairdresser|journalist|lawyer|lecturer|librarian|mechanic"
    "|midwife|musician|nurse|paramedic|pharmacist|photographer|physicist|pilot|plumber|police officer|professor|programmer|psychologist"
    "|researcher|scientist|soldier|student|surgeon|teacher|therapist|translator|tutor|vet|waiter|waitress|welder|writer"
)
_DIETS: Final = "vegan|vegetarian|pescatarian|gluten[- ]free|lactose intolerant"
_STATUS: Final = r"(?:single|married|engaged(?! in\b| with\b)|divorced|widowed)(?![-\w])"
_OWN: Final = (
    "name|age|birthday|email(?: address)?|phone(?: number)?|address|time ?zone|job|occupation|profession|employer|diet"
)

# (slot, whether it is over, pattern), of the statement behind the subject. The first that matches is taken.
_ENGLISH: Final = tuple(
    (slot, over, re.compile(pattern, re.IGNORECASE))
    for slot, over, pattern in (
        ("home", True, rf"(?:no longer lives|used to live|lived|doesn['’]t live) in {_PLACE}{_TAIL}$"),
        (
            "home",
            False,
            rf"{_ADVERB}(?:is )?{_ADVERB}(?:lives|living|based|settled|(?:has )?moved|relocated)(?: back)? ?(?:in|to) {_PLACE}{_TAIL}$",
        ),
        ("employer", True, rf"(?:no longer works|used to work|doesn['’]t work) (?:at|for) {_FIRM}{_TAIL}$"),
        (
            "employer",
            False,
            rf"{_ADVERB}(?:is )?(?:works|working|started(?: working)?|got a job) (?:at|for) {_FIRM}{_TAIL}$",
        ),
        ("job", False, rf"{_ADVERB}(?:is )?(?:works|working) as an? {_THING}(?: (?:at|for|in) .+)?$"),
        ("job", False, rf"is {_ADVERB}an? (?P<value>(?:[\w-]+ )?(?:{_WORK}))(?: (?:at|for|in) .+)?$"),
        ("name", False, rf"(?:is called|goes by|is named|prefers to be called) (?:the name )?{_THING}{_TAIL}$"),
        ("age", False, r"(?:is|(?:just |recently )?turned) (?P<value>\d{1,3})(?: years old)?$"),
        ("relationship", False, rf"(?:is {_ADVERB}|got )(?P<value>{_STATUS}).*$"),
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
# Another way, or a part of the time: what is so besides something else ends nothing.
_BESIDES: Final = re.compile(
    r"\b(?:also|as well|too|sometimes|often|part[- ]time|seasonally|temporarily|otherwise|during|every|half|most of|at weekends"
    r"|(?:on|in) (?:the )?(?:weekends?|week ?days?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|winters?|summers?|spring|autumn|fall"
    r"|evenings?|mornings?|afternoons?))\b",
    re.IGNORECASE,
)
# What tells of such a thing has to look like it: "my name is pronounced …" is no name.
_LOOKS_LIKE: Final = {
    "phone": re.compile(r"\d{3}"),
    "email": re.compile("@"),
    "age": re.compile(r"\d"),
    "birthday": re.compile(rf"\d|月|\b(?:{_MONTH})\b", re.IGNORECASE),
    "name": re.compile(
        r"\A(?!(?:pronounced|mispronounced|spell?ed|spelt|misspell?ed|written|said|short|long|hard|difficult|easy|common|rare|often|usually"
        r"|not|an?|the|from|of|after|very|so|really|quite)\b)",
        re.IGNORECASE,
    ),
    "job": re.compile(
        r"\A(?!(?:hard|boring|fun|great|good|bad|stressful|tiring|fine|okay|nice|important|not|very|so|really|quite)\b)"
    ),
}
# The person is the subject: nobody else's name stands between them and what is said, and no wish. In doubt there is no slot.
_KO_WHEN: Final = "(?:(?:지금|지금은|현재|요즘|이제|이제는|최근에|작년에|올해|이번에|지난달에|지난주에|얼마 전에|드디어|정말|사실) ){0,3}"
_KO_HOW: Final = "(?:(?:정말|정말로|진짜|아주|매우|너무|제일|가장|별로|전혀|엄청|되게|무척|많이|그다지|더 ?이상) ){0,3}"
_KO_IS: Final = r"(?:이에요|예요|입니다|이야|야|이다|다|이고요)?$"
_KO_END: Final = r"(?:고 있)?\S*$"
_KOREAN: Final = tuple(
    (slot, over, re.compile(_KO_WHEN + pattern))
    for slot, over, pattern in (
        ("home", True, r"(?:더 ?이상 )?(?P<value>\S+?)에(?:서)? ?(?:더 ?이상 )?(?:안 살\S*|살지 않\S*|살았\S*)$"),
        (
            "home",
            False,
            rf"(?:(?P<value>\S+?)에(?:서)? (?:살{_KO_END}|산다\S*$|삽니다$|거주{_KO_END})"
            r"|(?P<value2>\S+?)(?:으로|로) 이사(?:했|하였|왔|갔|를 왔|를 갔|온|간| 왔| 갔)\S*$)",
        ),
        (
            "employer",
            False,
            rf"(?:(?P<value>\S+?)에서 일(?:해|하|합|한){_KO_END}"
            r"|(?!\S*(?:학교|대학|대학원|교회|성당|절|학원|헬스장|체육관|수영장|병원|유치원|도서관)에)"
            rf"(?P<value2>\S+?)에 (?:다녀|다니|다닙|취직){_KO_END})",
        ),
        (
            "job",
            False,
            rf"(?:직업은 (?P<value>\S+?){_KO_IS}|(?:\S+에서 )?(?P<value2>\S+?)(?:으로|로) 일(?:해|하|합|한){_KO_END})",
        ),
        ("name", False, rf"이름은 (?P<value>\S+?){_KO_IS}"),
        ("age", False, r"(?P<value>\d{1,3})살(?:이|입|\Z)\S*$"),
        ("birthday", False, r"생일은 (?P<value>\d{1,2}월 ?\d{1,2}일)"),
        (
            "relationship",
            False,
            r"(?:(?P<value>미혼|기혼|싱글|솔로)(?:이|예|입|야|다|\Z)\S*$|(?:\S+(?:와|과|랑|하고) )?(?P<value2>결혼|이혼|약혼)했\S*$)",
        ),
        ("diet", True, r"(?P<value>비건|채식주의자|베지테리언)(?:이|가)? (?:아니|아닙)\S*$"),
        ("diet", False, r"(?P<value>비건|채식주의자|베지테리언)(?:(?:이|가) (?:됐|되었)\S*|(?:이|예|입|야|다)\S*|)$"),
        ("favourite", False, rf"(?:제일|가장) 좋아하는 (?P<what>\S+?)(?:은|는) (?P<value>.{{1,40}}?){_KO_IS}"),
        (
            "likes",
            True,
            r"(?:이제|더 ?이상) (?:더 ?이상 )?(?P<value>.{1,40}?)(?:을|를|은|는)? (?:안 좋아|좋아하지 않)\S*$",
        ),
        (
            "dislikes",
            False,
            rf"(?P<value>.{{1,40}}?)(?:을|를|은|는|도)? {_KO_HOW}(?:싫어\S*|안 좋아\S*|좋아하지 않\S*|못 ?먹\S*)$",
        ),
        ("likes", False, rf"(?P<value>.{{1,40}}?)(?:을|를|도)? {_KO_HOW}(?:좋아|사랑)(?!하지)\S*$"),
    )
)
_ZH_WHEN: Final = (
    "(?:现在|現在|目前|已经|已經|刚刚?|剛剛?|最近|去年|今年|上个月|上個月|上周|昨天|一直|终于|終於|真的|就|都|，){0,4}"
)
_ZH_HOW: Final = "(?:现在|現在|很|非常|特别|特別|真的|最|超级|超|比较|比較|一直|从小|也|还|還|都|挺|就){0,4}"
_CHINESE: Final = tuple(
    (slot, over, re.compile((_ZH_HOW if slot in threads.TASTES else _ZH_WHEN) + pattern))
    for slot, over, pattern in (
        (
            "home",
            True,
            r"(?:不(?:再)?住在?(?P<value>[^，。！？的]{2,8}?)了?$|以前住在?(?P<value2>[^，。！？的]{2,8})$)",
        ),
        (
            "home",
            False,
            r"(?:(?:居)?住[在到](?!一起|[这那哪])(?P<value>[^，。！？了的]{2,8})了?$"
            r"|搬(?:家)?[到去来來]了?(?!一起|[这那哪])(?P<value2>[^，。！？了的]{2,8})了?$)",
        ),
        ("employer", False, r"在(?P<value>[^，。！？的]{2,12}?)(?:工作|上班)(?:了.*)?$"),
        (
            "job",
            False,
            r"是(?:一?[名位个個])?(?P<value>老师|老師|医生|醫生|护士|護士|工程师|工程師|程序员|律师|律師|设计师|設計師|学生|學生|厨师|司机|会计|记者|警察|公务员|翻译)$",
        ),
        ("age", False, r"(?:有)?(?P<value>\d{1,3})[岁歲]了?$"),
        (
            "birthday",
            False,
            r"的?生日是(?P<value>[0-9一二三四五六七八九十]{1,3}月[0-9一二三四五六七八九十]{1,3}[号號日])",
        ),
        ("relationship", False, r"(?:是)?(?P<value>单身|單身|结婚|結婚|离婚|離婚|订婚|訂婚)了?的?$"),
        ("diet", False, r"(?:是)?(?:一?[名位个個])?(?P<value>吃素|素食者|素食主义者)的?$"),
        ("favourite", False, r"的?最(?:喜欢|喜歡|爱|愛)的(?P<what>[^，。]{1,6}?)是(?P<value>[^，。！？]{1,16})$"),
        ("name", False, r"(?:的?名字[叫是]|叫)(?P<value>[^，。！？我他她]{1,4}|[A-Za-z][A-Za-z .-]*)$"),
        (
            "likes",
            True,
            r"(?:不再(?:喜欢|喜歡|爱吃|爱喝)(?P<value>[^，。！？]{1,12}?)了?|不(?:喜欢|喜歡|爱吃|爱喝)(?P<value2>[^，。！？]{1,12}?)了)$",
        ),
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
    found = _found(said, _without_subject(said, names)) if len(said) <= _LONGEST else None
    if found is None:
        return None
    slot, over, value, what = found
    if slot in threads.TASTES:
        return Slot(f"{TASTE} {key(value)}", key(value), over, slot)
    named = threads.slot(f"favourite {what}" if slot == "favourite" else slot)
    several = re.search(r"\b(?:and|but)\b", value) or _BESIDES.search(said)  # it says more than the one thing
    looks = _LOOKS_LIKE.get(named)
    if several or not threads.single("fact", named) or (looks and not looks.search(value)):
        return None
    return Slot(named, key(value), over)


def _found(said: str, rest: str) -> tuple[str, bool, str, str] | None:
    if re.search("[가-힣]", said):
        return _matched(_KOREAN, rest)
    if re.search("[\u4e00-\u9fff]", said):
        return _matched(_CHINESE, rest)
    for pattern in _ENGLISH_OWN:
        match = pattern.match(rest)
        if match:
            what = re.sub(r"^fav(?:ou?rite)? ", "favourite ", match["what"].lower())
            return re.sub(r"(col|flav)our", r"\1or", what), False, match["value"], ""
    return _matched(_ENGLISH, rest)


def _matched(rules: tuple[tuple[str, bool, re.Pattern[str]], ...], rest: str) -> tuple[str, bool, str, str] | None:
    for slot, over, pattern in rules:
        match = pattern.match(rest)
        if match:
            groups = match.groupdict()
            return slot, over, groups.get("value") or groups.get("value2") or "", groups.get("what") or ""
    return None


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


def opposite(one: str, other: str, names: tuple[str, ...]) -> bool:
    """Whether one says that the other is not so, in the same words: "eats meat", "doesn't eat meat"."""
    return _denied(one) != _denied(other) and _asserted(one, names) == _asserted(other, names)


_NOT: Final = re.compile(
    r"\b(?:do|does|did|is|are|was|were|has|have|had|could|would|should|must)n['’]t\b|\b(?:ca|wo)n['’]t\b|\bcannot\b"
    r"|\b(?:does not|do not|did not|not|never|no longer)\b"
    r"|(?:^|(?<=\s))(?:안|못) (?=\S)|(?:^|(?<=\s))못(?=[해하한합먹])|지 (?:않|못하)\S*|없|不再?|没|沒",
    re.IGNORECASE,
)
_DENIES: Final = {"ca": "can", "can": "can", "wo": "will", "has": "have", "없": "있", "do": "", "does": "", "did": ""}


def _denied(body: str) -> bool:
    return _NOT.search(body) is not None


def _asserted(body: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """What it says, whether that is so or not."""
    said = _without_subject(body.strip().rstrip(".!。！~ "), names)
    if re.search("[가-힣]", said):
        plain = re.sub(r"(?<=\S)(?:을|를|은|는|이|가|도)(?= )", "", _NOT.sub(_kept_verb, said))
        *before, verb = plain.split() or [""]
        return (*before, verb[:1])
    if re.search("[\u4e00-\u9fff]", said):
        return (re.sub("了\\Z|[了，]", "", _NOT.sub("", said)),)
    plain = re.sub(r"\bany ?more\b|\b(?:still|really|at all)\b", "", _NOT.sub(_kept_verb, said), flags=re.IGNORECASE)
    return tuple(analyse.terms(re.sub(r"\bhas\b", "have", plain, flags=re.IGNORECASE)))


def _kept_verb(found: re.Match[str]) -> str:
    """Of "can't" the "can" stays, of "doesn't" nothing: it is there only to deny."""
    verb = re.sub(r"n['’]t\Z|(?<=can)not\Z", "", found[0].lower())
    return _DENIES.get(verb, verb if verb != found[0].lower() else "")
