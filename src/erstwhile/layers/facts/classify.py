"""What a fact is about, and how much it matters, by plain rules over its text in English, Korean and Chinese.

The first category whose words are found is it, from what binds people (a promise) down to what is only counted (a number). Importance is
what its category is worth by itself, one more for what makes it concrete or personal, and the most for what can harm: 1 to 5.
"""

from __future__ import annotations

import re
from typing import Final

CATEGORIES: Final = (
    "date",
    "place",
    "preference",
    "relation",
    "promise",
    "plan",
    "decision",
    "event",
    "number",
    "other",
)


def _words(english: str, other: str) -> re.Pattern[str]:
    """English matches at the start and end of words; Korean and Chinese, which inflect and don't space them, anywhere."""
    return re.compile(rf"\b(?:{english})\b|{other}", re.IGNORECASE)


_LABEL: Final = re.compile(r"^[^:：]{1,60}[:：]\s*")  # "Mina (3 Mar 2026): " says who and when, not what

_HARM: Final = _words(
    r"allerg\w+|anaphyla\w+|diabet\w+|asthma\w*|epilep\w+|pregnan\w+|insulin|celiac|coeliac|intoleran\w+|emergency|cancer|surgery",
    r"알레르기|알러지|당뇨|천식|임신|수술|응급|过敏|過敏|糖尿病|哮喘|怀孕|懷孕|手术|手術|癌",
)
_WEIGHTY: Final = _words(
    r"important|never forget|remember|first time|first meeting|for the first time|married|marry|wedding|engaged|divorced?|born|died"
    r"|passed away|funeral|diagnosed|hospital|fired|promoted|quit|password|passport",
    r"중요|잊지|처음|결혼|이혼|약혼|태어|돌아가|사망|병원|합격|퇴사|승진|重要|别忘|第一次|结婚|結婚|离婚|離婚|订婚|出生|去世|医院|醫院|辞职",
)
_DATE: Final = _words(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:jan|febr)uary|march(?! on)|april|june|july|august"
    r"|(?:septem|octo|novem|decem)ber|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d{1,2}|\d{1,2} (?:jan|feb|mar|apr|may|jun|jul"
    r"|aug|sept?|oct|nov|dec)\w*|may \d{1,2}\w*|\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}(?:/\d{2,4})?|(?:19|20)\d\d|\d{1,2}(?::\d{2}|\s?[ap]m)"
    r"|birthdays?|anniversary|deadline",
    r"\d{1,2}\s?월|\d{1,2}\s?일(?!곱)|[월화수목금토일]요일|\d{1,2}\s?시(?!간)|(?:19|20)\d\d\s?년|생일|기념일|마감"
    r"|[\d一二三四五六七八九十]{1,3}\s?[月号號日](?!本)|星期[一二三四五六日天]|周[一二三四五六日]|\d{1,2}\s?[点點]|生日|纪念日|截止",
)
_NUMBER: Final = re.compile(
    r"\d|[一二两三四五六七八九十百千万]{1,4}[个個只隻块塊岁歲元本人次]"
    r"|(?:한|두|세|네|다섯|열)\s?(?:개|명|마리|번|살)"
)

# From what binds to what is merely counted: "promised to visit his sister in Busan on Friday" is a promise.
_RULES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "promise",
        _words(
            r"promis\w+|vow(?:s|ed)?|swore|swears?|gave (?:his|her|their|my) word|i'll|i will|we'll|owes?|guarantee[sd]?",
            r"약속|맹세|[할갈줄볼올릴]게요?(?=[\s.!~]|$)|答应|答應|保证|保證|承诺|承諾|发誓|發誓",
        ),
    ),
    (
        "decision",
        _words(
            r"decid\w+|decision|agreed|chose|chosen|settled on|made up (?:his|her|their|my) mind|resolved|picked|went with|approved"
            r"|cancell?ed",
            r"결정|기로 (?:했|함|한|하)|정했|합의|골랐|선택했|취소|决定|決定|同意|选了|選了|选择了|商定|取消",
        ),
    ),
    (
        "plan",
        _words(
            r"plan(?:s|ned|ning)?|going to|gonna|will|intends?|hopes? to|wants? to|would like to|scheduled?|booked|upcoming|aims? to"
            r"|looking forward|is (?:moving|leaving|starting|visiting|flying|travell?ing)",
            r"예정|계획|려고|할 거|갈 거|할 것|예약|싶어|싶다|打算|计划|計劃|准备|準備|要去|将|將|预订|預訂|想要|想去",
        ),
    ),
    (
        "preference",
        _words(
            r"likes?|loves?|hates?|dislikes?|prefers?|preferred|enjoys?|favou?rites?|fond of|can't stand|allerg\w+|vegan|vegetarian|fan of"
            r"|afraid of|scared of|fears?|(?:doesn't|does not|don't|never) (?:eat|drink)s?|interested in|hobb(?:y|ies)",
            r"좋아|싫어|선호|즐겨|최애|취미|무서워|관심|알레르기|알러지|못\s?먹|안\s?먹|채식|비건|팬이"
            r"|喜欢|喜歡|讨厌|討厭|爱吃|愛吃|最爱|最愛|偏好|爱好|愛好|害怕|过敏|過敏|不吃|不喝|吃素",
        ),
    ),
    (
        "relation",
        _words(
            r"sisters?|brothers?|mother|mom|mum|father|dad|parents?|wife|husband|girlfriend|boyfriend|partner|daughters?|sons?|grand\w+"
            r"|aunts?|uncles?|cousins?|nieces?|nephews?|friends?|roommate|flatmate|neighbou?rs?|colleagues?|boss|fianc[eé]e?|married|dating"
            r"|dogs?|cats?|puppy|kitten|pets?|named|called",
            r"언니|누나|오빠|여동생|남동생|동생|엄마|아빠|어머니|아버지|부모|아내|와이프|남편|여자친구|남자친구|여친|남친|딸|아들|강아지|고양이"
            r"|할머니|할아버지|사촌|조카|이모|고모|삼촌|친구|룸메이트|팀장|결혼|이름은"
            r"|妈妈|媽媽|爸爸|母亲|父亲|父母|姐姐|妹妹|哥哥|弟弟|妻子|老婆|丈夫|老公|女朋友|男朋友|女儿|女兒|儿子|兒子|爷爷|奶奶|朋友|同事"
            r"|室友|邻居|鄰居|猫|貓|狗|结婚|結婚|名字叫|叫做",
        ),
    ),
    (
        "place",
        _words(
            r"lives?|living|moved|moves|relocated|from|based in|address|resides?|works? (?:at|in|for)|stud(?:y|ies|ied) (?:at|in)|grew up"
            r"|located|home ?town|apartment|flat|house",
            r"살고|살아|산다|삽니다|사는|이사|거주|고향|주소|에서 일|다니"
            r"|住|搬|家在|来自|來自|老家|地址|位于|位於|在.{1,8}(?:工作|上班|上学|上學)",
        ),
    ),
    (
        "event",
        _words(
            r"\w{3,}ed|bought|met|went|got|had|gave|took|saw|ate|made|found|lost|(?<!\d )won|began|came|left|broke|fell|sold|paid|told"
            r"|wrote|built|became|caught|flew|drove|ran|sent|spent|taught|wore|said",
            r"[했갔왔샀봤됐렸났졌었았였][어다음습던는고]|만났|만남|먹었|시작|끝났|了|过(?!敏)|過(?!敏)|见面|見面|参加|參加|开始|開始",
        ),
    ),
    ("date", _DATE),
    ("number", _NUMBER),
)
_WORTH: Final = {
    "promise": 4,
    "decision": 4,
    "plan": 3,
    "preference": 3,
    "relation": 3,
    "place": 3,
    "date": 3,
    "event": 2,
    "number": 2,
    "other": 1,
}


def category(text: str) -> str:
    said = _said(text)
    if _about_a_date(said):
        return "date"
    return next((name for name, pattern in _RULES if pattern.search(said)), "other")


def importance(text: str) -> int:
    said = _said(text)
    if _HARM.search(said):
        return 5
    worth = _WORTH[category(text)]
    return min(5, worth + bool(_WEIGHTY.search(said)) + bool(_DATE.search(said) and category(text) != "date"))


_WHOSE_DATE: Final = _words(
    r"(?:birthday|anniversary|deadline|due date)\b.{0,20}\b(?:is|was|on|falls|:)",
    r"(?:생일|기념일|마감)[은는이]|(?:生日|纪念日|截止).{0,4}(?:是|在)",
)


def _about_a_date(said: str) -> bool:
    """ "His sister's birthday is on 3 March" is about the day, not about the sister."""
    return _WHOSE_DATE.search(said) is not None and _NUMBER.search(said) is not None


def _said(text: str) -> str:
    return _LABEL.sub("", text, count=1)[:2000]  # rules look at what a person would read first
