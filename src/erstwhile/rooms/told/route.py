"""Which plain forms ask to remember, to forget, or what is known. Plain functions over one line of talk; in doubt it is talk.

English, Korean, Chinese. Whom it is about is given as it was said; who that is, is found out later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from erstwhile.rooms.told.model import ABOUT, FORGET, REMEMBER

ME: Final = "me"
EVERYTHING: Final = "everything"


@dataclass(frozen=True, slots=True)
class Routed:
    """`whom` as it was said, "me" for the speaker, "" if it was not said; `fact` what to remember or forget. `before`: that stands in the
    messages before. `sure`: whether it is a request whoever it is about; "who is X" is one only if X is someone here."""

    intent: str
    whom: str = ""
    fact: str = ""
    before: bool = False
    sure: bool = True


_PLEASE: Final = r"(?:(?:please|pls|kindly|also|and|now|so|ok|okay)[, ]+)*"
_ADDRESS: Final = re.compile(
    r"\A(?:(?:hey|hi|hello|ok|okay|yo)[ ,]+)?(?:<@!?\w+>|@?(?:the )?(?:bot|assistant|erstwhile)\w*|봇아?|机器人|機器人)\s*[,:!，：、~-]*\s+"
    r"|\A(?:봇아?|机器人|機器人)[,:!，：、~-]\s*",
    re.IGNORECASE,
)
# "Luna, remember that …": any name, where a request follows at once.
_CALLED: Final = re.compile(
    rf"\A(?:(?:hey|hi|ok|okay)[ ,]+)?(?-i:[A-Z])\w{{1,24}}[,:] (?={_PLEASE}(?:remember|forget|don['’]?t forget|note|what do you|who is)\b)",
    re.IGNORECASE,
)
_MAY: Final = (
    rf"(?P<may>{_PLEASE}(?:(?:can|could|will|would) you {_PLEASE})?|i (?:want|need|['’]d like|would like) you to )"
)
_WHOM: Final = r"(?P<whom><@!?[^<>\s]+>|@?[^\s,:;.!?][^,:;.!?\n]{0,60}?)"

# Requests to remember: "that" or a colon makes it one; without, it has to be a statement.
_REMEMBER: Final = re.compile(
    rf"\A{_MAY}(?P<verb>remember|memori[sz]e|note(?: down)?|make a note|take note|keep in mind|don['’]?t (?:ever )?forget|never forget)"
    r"(?P<how>\s*[:：]\s*| this\s*[:,：]\s*| (?:the fact )?that |, that |, | )(?P<fact>\S.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_THIS: Final = re.compile(
    rf"\A{_MAY}(?:remember|note|save|keep)(?: (?:this|that|it|these|what (?:was|we|they|he|she|i) (?:just )?said|all this))?"
    rf"(?: about| regarding| for) {_WHOM}(?:\s*[:,]\s*(?P<fact>\S.*))?[.!]*\Z",
    re.IGNORECASE | re.DOTALL,
)
_JUST_THIS: Final = re.compile(rf"\A{_MAY}(?:remember|save|note) this(?: please)?[.!]*\Z", re.IGNORECASE)
_NO_FACT: Final = re.compile(
    r"\A(?:when|how|where|who|whom|what|why|which|if|whether|to|not to|me|him|her|it|us|them|you|your|you['’]\w+|everyone|everybody|there"
    r"|(?:that|this|the|those|these|one|our|old|good)(?: (?:last|first|old|good|same|other|whole|very|fateful|crazy|funny))*"
    r" (?:time|times|day|days|night|nights|one|ones|guy|girl|place|party|summer|winter|trip|movie|song|game|year|years|week|weekend|feeling"
    r"|moment|story|joke|face|look|way|thing|things|name))\b",
    re.IGNORECASE,
)
_OWN: Final = re.compile(r"\A(?:i|i['’]\w+|my|we|our)\b", re.IGNORECASE)
_STATES: Final = re.compile(
    r"\b(?:is|am|are|was|were|has|have|had|likes?|loves?|hates?|lives?|works?|prefers?|goes|go|moved|wants?|needs?|can|can['’]t|cannot|don['’]t"
    r"|doesn['’]t|didn['’]t|will|won['’]t|never|always|eats?|drinks?|speaks?|plays?|uses?|got|started|quit|isn['’]t|aren['’]t|dislikes?|enjoys?"
    r"|studies|study|owns?|drives?|used|came|grew|knows?|left)\b|['’](?:s|m|re|ve|ll|d)\b",
    re.IGNORECASE,
)

_FORGET: Final = re.compile(
    rf"\A{_MAY}(?:forget|delete|erase|remove|unlearn)"
    r"(?P<how> (?:the fact )?that | about | what (?:i|we) (?:told|said to|said)(?: you)?(?: about)? "
    r"| )(?P<fact>\S.*?)[.!]*\Z",
    re.IGNORECASE | re.DOTALL,
)
_NOT_MEANT: Final = re.compile(
    r"\A(?:it|that|this|you|your|him|her|us|them|what|how|who|when|where|why"
    r"|the (?:past|rest|whole)|to|me|i (?:said|asked)|one|all (?:that|this|about it))"
    r"(?:\b(?!['’]s).{0,40})?\Z|\A(?:it|him|her|them|us|you|the|to|what|how)\b",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(r"[,;—–-] ?(?:he|she|it|they|that|this|we|let|you)(?:['’]|\b)", re.IGNORECASE)

_ABOUT: Final = re.compile(
    rf"\A{_PLEASE}(?:tell me |show me |say )?(?:what|everything|all)(?: (?:all|else))? (?:do )?you "
    r"(?:know|remember|have(?: stored| saved)?)"
    rf"(?: (?:all|anything|so far))? (?:about|on|of) {_WHOM}\s*[?.!]*\Z",
    re.IGNORECASE,
)
_DO_YOU_KNOW: Final = re.compile(
    rf"\A{_PLEASE}what (?:is|has been) (?:known|remembered|told) about {_WHOM}\s*[?.!]*\Z", re.IGNORECASE
)
_WHO: Final = re.compile(
    r"\A(?:who is|who['’]s|who am|do you know who) (?P<whom><@!?[^<>\s]+>|@?[^\s?]+(?: [^\s?]+){0,2}?)(?: is)?(?: again)?\s*\?*\Z",
    re.IGNORECASE,
)


def route(text: str) -> Routed | None:
    """None when it is talk, as far as plain forms tell."""
    said = " ".join(text.split())
    bare = _CALLED.sub("", _ADDRESS.sub("", said, count=1), count=1).strip()
    if not bare or len(bare) > 4_000:
        return None
    if re.search("[가-힣]", bare):
        return _korean(bare) or _english(bare)
    if re.search("[\u4e00-\u9fff]", bare):
        return _chinese(bare) or _english(bare)
    return _english(bare)


# English


def _english(said: str) -> Routed | None:
    this = _THIS.match(said)
    if this and not _STATES.search(this["whom"]):
        return Routed(REMEMBER, _person(this["whom"]), (this["fact"] or "").strip(), before=not this["fact"])
    if _JUST_THIS.match(said):
        return Routed(REMEMBER, ME, before=True)
    return _to_remember(said) or _to_forget(said) or _to_tell(said)


def _to_remember(said: str) -> Routed | None:
    match = _REMEMBER.match(said)
    if match is None:
        return None
    fact, how, verb = match["fact"].strip(), match["how"].strip(" ,").lower(), match["verb"].lower()
    asks = fact.endswith("?")
    if asks and not re.search(r"\b(?:can|could|will|would) you", match["may"], re.IGNORECASE):
        return None
    if _NO_FACT.match(fact) or (how == "that" and _NO_FACT.match(f"that {fact}")):
        return None
    stated = _STATES.search(fact) is not None
    if how == "that":
        meant = stated or not asks
        meant = meant and (verb != "keep in mind" or _OWN.match(fact) is not None)
    elif how.startswith((":", "：", "this")):
        meant = True
    else:
        own = _OWN.match(fact) is not None
        named = re.match(r"(?:<@!?\w+>|@\w|(?-i:[A-Z]))", fact) is not None
        meant = stated and (own or (named and match["how"] == " ")) and verb not in ("note", "keep in mind")
    return Routed(REMEMBER, fact=fact.rstrip("?").strip() if asks else fact) if meant else None


def _to_forget(said: str) -> Routed | None:
    match = _FORGET.match(said)
    if match is None or said.endswith("?") or _GOES_ON.search(match["fact"]):
        return None
    fact, how = match["fact"].strip(), match["how"].strip().lower()
    verb = re.search(r"\b(?:forget|delete|erase|remove|unlearn)\b", said, re.IGNORECASE)
    everything = re.match(
        r"(?:absolutely )?(?:everything|all)\b(?! (?:that|this|about (?:it|that|this))\b)", fact, re.IGNORECASE
    )
    if everything:
        about = re.search(r"\b(?:about|on|of) (?P<whom>.+)\Z", fact, re.IGNORECASE)
        if about or re.fullmatch(
            r"(?:absolutely )?(?:everything|all)(?: (?:that )?you (?:know|remember))?", fact, re.IGNORECASE
        ):
            return Routed(FORGET, _person(about["whom"]) if about else ME, EVERYTHING)
        return None
    if verb and verb[0].lower() != "forget" and how != "that":
        return None  # "delete the file" is no talk of memory
    if how in ("that", "the fact that"):
        return Routed(FORGET, fact=fact) if _STATES.search(fact) else None
    if _NOT_MEANT.match(fact) and not _OWN.match(fact):
        return None
    own = re.match(r"(?:my|his|her|their|[\w@<>!]+['’]s)\b", fact, re.IGNORECASE)
    if how or own or _states_itself(fact):
        return Routed(FORGET, fact=fact)
    return None


def _states_itself(fact: str) -> bool:
    return _OWN.match(fact) is not None and _STATES.search(fact) is not None


def _to_tell(said: str) -> Routed | None:
    match = _ABOUT.match(said) or _DO_YOU_KNOW.match(said)
    if match:
        whom = _person(match["whom"])
        named = whom == ME or whom.startswith(("@", "<@")) or not whom[:1].islower()
        return Routed(ABOUT, whom, sure=named)
    match = _WHO.match(said)
    if match:
        return Routed(ABOUT, _person(match["whom"]), sure=False)
    return None


def _person(said: str) -> str:
    whom = said.strip(" .!?\"'“”")
    return ME if whom.lower() in ("me", "myself", "i", "my") else whom


# Korean

_KO_REMEMBER: Final = re.compile(
    r"\A(?P<fact>.+?)[,.!~]?\s*(?:꼭 |좀 |잘 )?(?:기억해 ?(?:줘|주세요|줄래|주라|둬|두세요|놔|주십시오|줄 수 있)"
    r"|외워 ?(?:줘|둬)|잊지 ?(?:마|말아)|메모해 ?(?:줘|둬))"
    r"(?:요|라|줘|주세요|어\??|어요\??)?[.!?~]*\Z"
)
_KO_REMEMBER_FIRST: Final = re.compile(r"\A(?:이거 |이것 )?기억해 ?(?:줘|주세요|둬|두세요)\s*[:,.!：]\s*(?P<fact>.+)\Z")
_KO_FORGET: Final = re.compile(
    r"\A(?P<fact>.+?)[,.]?\s*(?:좀 |그냥 )?(?:잊어 ?(?:줘|주세요|버려|주라|줄래|라)"
    r"|지워 ?(?:줘|주세요)|삭제해 ?(?:줘|주세요))(?:요)?[.!~]*\Z"
)
_KO_FORGET_ALL: Final = re.compile(
    r"\A(?:(?P<whom>\S+?)(?:에 대해서?|에 대한|에 관한) ?)?(?:\S+ )?(?:모두|전부|다|모든 ?(?:것|걸|거)(?:을|를)?)"
    r" ?잊어(?: ?(?:줘|주세요|버려|라))?[.!~]*\Z"
)
_KO_ABOUT: Final = re.compile(
    r"\A(?P<whom>\S+?)(?:에 ?대해서?|에 ?관해서?|에 대한) ?(?:뭐|뭘|무엇을?|무얼|뭐를|어떤 걸|아는)?"
    r" ?(?:를|을)? ?(?:알아|알고 ?있|아는|알지|기억하|기억해|거|것|게)"
    r".{0,16}[?？.!]*\Z"
)
_KO_WHO: Final = re.compile(r"\A(?P<whom>\S+?)(?:이|가|은|는|란)? ?누구(?:야|예요|에요|입니까|니|지)?\s*[?？]*\Z")
_KO_THIS: Final = re.compile(
    r"\A(?:(?P<whom>\S+?)(?:에 ?대해서?|에 ?대한|에 ?관해|에 ?관한) ?)?"
    r"(?:이거|이것|이걸|이 ?내용|지금 ?(?:한 )?말|방금 ?(?:한 )?말)(?:도|을|를)?\Z"
)
_KO_ME: Final = frozenset(("나", "저", "내", "제", "나자신"))


def _korean(said: str) -> Routed | None:
    everything = _KO_FORGET_ALL.match(said)
    if everything:
        return Routed(FORGET, _ko_person(everything["whom"] or "나"), EVERYTHING)
    first = _KO_REMEMBER_FIRST.match(said)
    if first:
        return Routed(REMEMBER, fact=first["fact"].strip())
    match = _KO_REMEMBER.match(said)
    if match:
        this = _KO_THIS.match(match["fact"].strip())
        if this:
            return Routed(REMEMBER, _ko_person(this["whom"] or "나"), before=True)
        return Routed(REMEMBER, fact=_ko_fact(match["fact"]))
    match = _KO_FORGET.match(said)
    if match:
        return Routed(FORGET, fact=_ko_fact(match["fact"], forget=True))
    match = _KO_ABOUT.match(said)
    if match:
        return Routed(ABOUT, _ko_person(match["whom"]))
    match = _KO_WHO.match(said)
    return Routed(ABOUT, _ko_person(match["whom"]), sure=False) if match else None


def _ko_fact(said: str, *, forget: bool = False) -> str:
    """The statement alone: "부산에 산다는 거" says "부산에 산다"."""
    fact = re.sub(r"\s*(?:것|거|걸|사실|점|건)(?:을|를|은|는|도|만)?\Z", "", said.strip(" ,.!~"))
    fact = re.sub(r"다(?:는|고)\Z", "다", fact)
    fact = re.sub(r"이라(?:는|고)\Z", "이다", fact)
    fact = re.sub(r"라(?:는|고)\Z", "다", fact)
    return re.sub(r"(?:에 대해서?|에 대한|에 관한)\Z", "", fact).strip() if forget else fact.strip()


def _ko_person(said: str) -> str:
    return ME if said in _KO_ME else said


# Chinese

_ZH_PLEASE: Final = "(?:请|請|麻烦|麻煩|帮我|幫我|你要?|你可以|能不能|一定要?|好好){0,3}"
_ZH_REMEMBER: Final = re.compile(
    rf"\A(?P<may>{_ZH_PLEASE})(?P<verb>记住|記住|记下来?|記下來?|记一下|記一下|牢记|别忘了|別忘了|不要忘记|不要忘了|记得|記得)(?:一下)?(?P<mark>[，,：:\s]*)(?P<fact>.+?)[。！!]*\Z"
)
_ZH_THIS: Final = re.compile(
    r"\A(?:关于|關於|有关|对于)?(?P<whom>.+?)(?:的)?(?:这件事|這件事|这些|這些|这个|這個|这点|這點|这事)\Z|\A(?:这个|這個|这些|这件事|这点)(?:，|,)?(?:关于|關於)(?P<whom2>.+)\Z"
)
_ZH_FORGET: Final = re.compile(
    rf"\A(?P<may>{_ZH_PLEASE})(?P<verb>忘记|忘記|忘掉|忘了|删除|刪除|删掉)(?P<fact>.+?)[。！!]*\Z"
)
_ZH_ALL: Final = re.compile(
    r"\A(?:关于|關於|有关)?(?P<whom>我|他|她|.{1,20}?)?(?:的)?(?:一切|所有(?:的?(?:事情|事|信息|记忆|东西))?|全部)\Z"
)
_ZH_ABOUT: Final = re.compile(
    r"\A(?:你)?(?:都|还)?(?:知道|了解|记得|記得)(?:些)?(?:关于|關於|有关)(?P<whom>.+?)的?(?:些)?(?:什么|什麼|哪些|多少|啥)(?:事情?|信息)?[吗呢]?[?？]*\Z"
    r"|\A(?:关于|關於|对于?|對)(?P<whom2>.+?)[，,]?你(?:都|还)?(?:知道|了解|记得)(?:些)?(?:什么|什麼|哪些|多少|啥)[?？]*\Z"
    r"|\A你(?:对|對)(?P<whom3>.+?)(?:都|还)?(?:知道|了解|记得)(?:些)?(?:什么|什麼|哪些|多少|啥)[?？]*\Z"
)
_ZH_WHO: Final = re.compile(r"\A(?:谁是|誰是)(?P<whom>.+?)[?？]*\Z|\A(?P<whom2>.+?)是(?:谁|誰)[?？]*\Z")


def _chinese(said: str) -> Routed | None:
    for pattern, sure in ((_ZH_ABOUT, True), (_ZH_WHO, False)):
        match = pattern.match(said)
        if match:
            return Routed(ABOUT, _zh_person(next(filter(None, match.groups()), "")), sure=sure)
    if re.search("[?？吗嗎]\\Z", said):
        return None
    match = _ZH_REMEMBER.match(said)
    if match:
        return _zh_remember(match)
    match = _ZH_FORGET.match(said)
    if match is None:
        return None
    fact = match["fact"].strip("，, ")
    everything = _ZH_ALL.match(fact)
    if everything:
        return Routed(FORGET, _zh_person(everything["whom"] or "我"), EVERYTHING)
    # "忘记带钥匙了" tells that one forgot one's keys.
    if (match["verb"] == "忘了" or fact.endswith("了")) and not match["may"]:
        return None
    if re.match("吧|它|这|那|带|拿|吃|关(?!于)|锁|买|写|做|告诉|跟|和你", fact):
        return None
    return Routed(FORGET, fact=re.sub(r"\A(?:关于|關於|有关)|的?(?:这件事|這件事|事情|事)\Z", "", fact))


def _zh_remember(match: re.Match[str]) -> Routed | None:
    fact = match["fact"].strip()
    this = _ZH_THIS.match(fact)
    if this:
        return Routed(REMEMBER, _zh_person(this["whom"] or this["whom2"]), before=True)
    if fact in ("这个", "這個", "这件事", "这些", "这一点"):
        return Routed(REMEMBER, ME, before=True)
    asks = match["verb"] in ("记住", "記住", "记下", "记下来", "記下", "記下來", "记一下", "記一下", "牢记")
    if re.match("了|没|吧|啊|那天|那时|当时|小时候|时候", fact) or (not asks and not fact.startswith("我")):
        return None
    return Routed(REMEMBER, fact=fact)


def _zh_person(said: str) -> str:
    whom = said.strip("，, 的")
    return ME if whom in ("我", "我自己", "") else whom
