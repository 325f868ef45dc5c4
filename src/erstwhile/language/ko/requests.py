"""Requests in Korean to remember, to forget, or to say what is known. In doubt there is none."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.requests import EVERYTHING, ME, MemoryRequest, RequestPatterns, about

_REMEMBER: Final = re.compile(
    r"\A(?P<fact>.+?)[,.!~]?\s*(?:꼭 |좀 |잘 )?(?:기억해 ?(?:줘|주세요|줄래|주라|둬|두세요|놔|주십시오|줄 수 있)"
    r"|(?P<weak>외워 ?(?:줘|둬)|잊지 ?(?:마|말아)|메모해 ?(?:줘|둬)))"
    r"(?:요|라|줘|주세요|어\??|어요\??)?[.!?~]*\Z"
)
_REMEMBER_FIRST: Final = re.compile(
    r"\A(?:이거 |이것 )?(?:기억해 ?(?:줘|주세요|둬|두세요)|잊지 ?(?:마|말아)(?:요|줘|주세요)?)\s*[:,.!：]\s*(?P<fact>.+)\Z"
)
_FORGET: Final = re.compile(
    r"\A(?P<fact>.+?)[,.]?\s*(?:좀 |그냥 )?(?:잊어 ?(?:줘|주세요|버려|주라|줄래|라)"
    r"|(?P<delete>지워 ?(?:줘|주세요)|삭제해 ?(?:줘|주세요)))(?:요)?[.!~]*\Z"
)
_ON: Final = "(?:에 ?대해서?|에 ?대한|에 ?관해서?|에 ?관한)"
# "All" counts only with the person or the memory: "forget all your worries" is no request.
_FORGET_ALL: Final = re.compile(
    rf"\A(?:(?P<whom>\S+?){_ON} ?(?:(?:네가 )?(?:알고 있는|아는|기억하는) ?(?:거|것|걸|건)?(?:은|는|을|를)? ?|기억(?:을|은)? ?)?"
    r"(?:모두|전부|다|모든 ?(?:것|걸|거|기억)(?:을|를)?)"
    r"|(?:(?:나의|저의|내|제|네|너의) )?(?:기억(?:을|은)? ?(?:모두|전부|다)|모든 ?기억(?:을)?))"
    r" ?(?:잊어|지워|삭제해)(?: ?(?:줘|주세요|버려|라))?(?:요)?[.!~]*\Z"
)
# A statement ("…다는 거") or what I do: a deletion must be about one of these.
_STATED: Final = re.compile(
    r"(?:다는|라는) ?(?:거|것|걸|건|사실|점)(?:을|를|은|는|도|만)?\Z|(?:다고|라고)\Z"
    r"|\A(?:내가|제가|나는|저는|난) .*(?:는|인|한|던) ?(?:거|것|걸|건|사실|점)(?:을|를|은|는|도|만)?\Z"
)
_OWN: Final = re.compile("(?:나는|나도|저는|저도|난|내가|제가) |(?:내|제) .*(?:은|는|이|가) ")
_MEMORY: Final = re.compile(rf"(?:{_ON}|의) ?기억(?:을|은|만)?\Z")
_OF: Final = re.compile(
    rf"\S{_ON}(?:는)?\Z|\A(?:내|제|나의|저의|\S+의) (?!(?:걱정|말|실수|잘못|일|고민|생각|얼굴|과거|사진|메시지)(?:은|는|을|를|도)?\Z)\S"
)
_ABOUT: Final = re.compile(
    r"\A(?P<whom>\S+?)(?:에 ?대해서?|에 ?관해서?|에 대한) ?(?:뭐|뭘|무엇을?|무얼|뭐를|어떤 걸|아는)?"
    r" ?(?:를|을)? ?(?:알아(?![보봐볼내])|알고 ?있|아는|알지|기억하|기억해|거|것|게)"
    r".{0,16}[?？.!]*\Z"
)
_WHO: Final = re.compile(
    r"\A(?P<whom>\S+?)(?:이|가|은|는|란)? ?누구(?:야|예요|에요|입니까|니|지)?\s*[?？]*\Z"
)
_WHO_AM_I: Final = re.compile(
    r"\A(?:(?:내|제) 이름(?:이|은|을)? ?(?:뭐|뭔지|무엇|알아|알고 ?있|기억).{0,12}|(?:나|저)(?:를|을)? ?(?:아직 )?(?:기억해|기억하).{0,8}"
    r"|내가 누군지 (?:알아|알고 ?있|기억해|기억하).{0,8})\s*[?？]*\Z"
)
_POINT: Final = "(?:이거|이것|이걸|이 ?내용|지금 ?(?:한 )?말|방금 ?(?:한 )?말)(?:도|을|를|은)?"
_THIS: Final = re.compile(
    rf"\A(?:(?:(?P<whom>\S+?){_ON} ?)?{_POINT}|(?:{_POINT} )?(?P<whom2>\S+?){_ON})\Z"
)
_ME: Final = frozenset(("나", "저", "내", "제", "나자신"))


def _read(said: str) -> MemoryRequest | None:
    everything = _FORGET_ALL.match(said)
    if everything:
        return MemoryRequest("forget", _person(everything["whom"] or "나"), EVERYTHING)
    first = _REMEMBER_FIRST.match(said)
    if first:
        return MemoryRequest("remember", fact=first["fact"].strip())
    match = _REMEMBER.match(said)
    if match:
        return _remember(match["fact"].strip(" ,.!~"), weak=bool(match["weak"]))
    match = _FORGET.match(said)
    if match:
        return _forget(match["fact"].strip(" ,.!~"), deleted=bool(match["delete"]))
    if _WHO_AM_I.match(said):
        return about(ME)
    match = _ABOUT.match(said)
    if match:
        return about(_person(match["whom"]))
    match = _WHO.match(said)
    return MemoryRequest("about", _person(match["whom"]), sure=False) if match else None


def _remember(said: str, *, weak: bool) -> MemoryRequest | None:
    """`weak`: words that are also used for errands ("우유 사는 거 잊지 마")."""
    this = _THIS.match(said)
    if this:
        whom = _person(this["whom"] or this["whom2"] or "나")
        return MemoryRequest("remember", whom, before=True)
    if weak and not _STATED.search(said) and not _OWN.match(said):
        return None
    return MemoryRequest("remember", fact=_fact(said))


def _forget(said: str, *, deleted: bool) -> MemoryRequest | None:
    """Find a request to forget. Files and worries are forgotten too: in doubt there is none."""
    if _MEMORY.search(said):
        return MemoryRequest("forget", fact=_MEMORY.sub("", said).strip())
    if _STATED.search(said) or (not deleted and _OF.search(said)):
        return MemoryRequest("forget", fact=re.sub(rf"{_ON}\Z", "", _fact(said)).strip())
    return None


def _fact(said: str) -> str:
    """Return the statement alone: "부산에 산다는 거" is "부산에 산다", "커피 좋아하는 거" "커피 좋아한다"."""
    stripped = said.strip(" ,.!~")
    bare = re.sub(
        r"(?:(?<=는)|(?<=인)|\s+)(?:것|거|걸|사실|점|건)(?:을|를|은|는|도|만)?\Z", "", stripped
    )
    endings = ((r"다(?:는|고)\Z", "다"), (r"이라(?:는|고)\Z", "이다"), (r"라(?:는|고)\Z", "다"))
    for ending, instead in endings:
        fact, changed = re.subn(ending, instead, bare)
        if changed:
            return fact.strip()
    if bare == said:
        return bare.strip()
    if bare.endswith(("있는", "없는")):
        return f"{bare[:-1]}다"
    if re.search("[가-힣]는\\Z", bare):
        return f"{bare[:-2]}{_plain(bare[-2])}"
    return f"{bare[:-1]}이다" if re.search("[가-힣]인\\Z", bare) else f"{bare} 것"


def _plain(stem: str) -> str:
    """Return the verb before "-는" in its plain form: "하" → "한다", "먹" → "먹는다"."""
    closed = (ord(stem) - 0xAC00) % 28
    return f"{stem}는다" if closed else f"{chr(ord(stem) + 4)}다"


def _person(said: str) -> str:
    return ME if said in _ME else said


REQUESTS: Final = RequestPatterns(read=_read, bot="봇아?", bot_attached="봇아?")
