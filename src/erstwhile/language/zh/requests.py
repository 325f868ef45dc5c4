"""Requests in Chinese to remember, to forget, or to say what is known. In doubt there is none."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.requests import EVERYTHING, ME, MemoryRequest, RequestPatterns, about

_PLEASE: Final = "(?:请|請|麻烦|麻煩|帮我|幫我|你要?|你可以|能不能|一定要?|好好){0,3}"
_KEEP: Final = "记住|記住|记下来?|記下來?|记一下|記一下|牢记"
_REMEMBER: Final = re.compile(
    rf"\A(?P<may>{_PLEASE})(?P<verb>{_KEEP}|别忘了|別忘了|不要忘记|不要忘了|记得|記得)(?:一下)?(?P<mark>[，,：:\s]*)(?P<fact>.+?)[。！!]*\Z"
)
_REMEMBER_LAST: Final = re.compile(
    rf"\A(?P<fact>(?:我|@|<@).+?)[，,。！!；;\s]+{_PLEASE}(?:{_KEEP}|别忘了|別忘了)(?:一下|了|哦|喔|啊|吧)?[。！!~]*\Z"
)
_THIS: Final = re.compile(
    r"\A(?:关于|關於|有关|对于)?(?P<whom>.+?)(?:的)?(?:这件事|這件事|这些|這些|这个|這個|这点|這點|这事)\Z|\A(?:这个|這個|这些|这件事|这点)(?:，|,)?(?:关于|關於)(?P<whom2>.+)\Z"
)
_FORGET: Final = re.compile(
    rf"\A(?P<may>{_PLEASE})(?P<verb>忘记|忘記|忘掉|忘了|删除|刪除|删掉|刪掉)(?P<fact>.+?)[。！!]*\Z"
)
# As in Korean: with the person or the memory.
_ALL: Final = re.compile(
    r"\A(?:(?:所有)?(?:关于|關於|有关|有關)(?P<whom>.{1,20}?)的?(?:一切|所有(?:的?(?:事情|事|信息|记忆|記憶|东西))?|全部|(?:全部|所有)?(?:记忆|記憶))"
    r"|我的?(?:一切|所有(?:的?(?:事情|事|信息|记忆|記憶|东西))?|全部)|(?:我的|你的)?(?:所有|全部|一切)的?(?:我的)?(?:记忆|記憶))\Z"
)
_TOPIC: Final = re.compile(
    r"\A(?:关于|關於|有关|有關)|(?:的?(?:这件事|這件事|事情|事)|的?(?:记忆|記憶))\Z"
)
_STATED: Final = re.compile(
    r"\A(?:我(?!吧|们吧|\Z|(?:刚才|刚刚|剛才|剛剛|昨天)?(?:说|說|问|問|讲|講))"
    r"|(?:@|<@|[^那这他她它你密]{1,8}?(?:不?喜欢|不?喜歡|讨厌|討厭|住在|爱吃|爱喝|在.+(?:工作|上班)|叫|是)(?!.*(?:谁|什么|怎么|哪))))"
)
_ABOUT: Final = re.compile(
    r"\A(?:你)?(?:都|还)?(?:知道|了解|记得|記得)(?:些)?(?:关于|關於|有关)?(?P<whom>.+?)的?(?:些)?(?:什么|什麼|哪些|多少|啥)(?:事情?|信息)?[吗呢]?[?？]*\Z"
    r"|\A(?:关于|關於|对于?|對)(?P<whom2>.+?)[，,]?你(?:都|还)?(?:知道|了解|记得)(?:些)?(?:什么|什麼|哪些|多少|啥)[?？]*\Z"
    r"|\A你(?:对|對)(?P<whom3>.+?)(?:都|还)?(?:知道|了解|记得)(?:些)?(?:什么|什麼|哪些|多少|啥)[?？]*\Z"
)
_WHO: Final = re.compile(
    r"\A(?:谁是|誰是)(?P<whom>.+?)[?？]*\Z|\A(?P<whom2>.+?)是(?:谁|誰)[?？]*\Z"
)

_WHO_AM_I: Final = re.compile(
    r"\A(?:我(?:的名字)?(?:叫|是)(?:什么|什麼|啥)(?:名字)?|(?:你)?(?:还|還)?(?:知道|记得|記得|认识|認識)我(?:是谁|是誰|叫什么|叫什麼|的名字)?[吗嗎])\s*[?？]*\Z"
)


def _read(said: str) -> MemoryRequest | None:
    if _WHO_AM_I.match(said):
        return about(ME)
    for pattern in (_ABOUT, _WHO):
        match = pattern.match(said)
        if match:
            whom = _person(next(filter(None, match.groups()), ""))
            return about(whom) if pattern is _ABOUT else MemoryRequest("about", whom, sure=False)
    if re.search("[?？吗嗎]\\Z", said):
        return None
    match = _REMEMBER.match(said)
    if match:
        return _remember(match)
    match = _REMEMBER_LAST.match(said)
    if match:
        return MemoryRequest("remember", fact=match["fact"].strip())
    match = _FORGET.match(said)
    return _forget(match) if match else None


def _forget(match: re.Match[str]) -> MemoryRequest | None:
    """Find a request to forget. Passwords are forgotten too: in doubt there is none."""
    fact = match["fact"].strip("，, ")
    everything = _ALL.match(fact)
    if everything:
        return MemoryRequest("forget", _person(everything["whom"] or "我"), EVERYTHING)
    # "忘记带钥匙了" says that someone forgot their keys.
    if (match["verb"] == "忘了" or fact.endswith("了")) and not match["may"]:
        return None
    if re.match("吧|它|这|那|带|拿|吃|关(?!于)|锁|买|写|做|告诉|跟|和你", fact):
        return None
    topic = _TOPIC.search(fact) is not None and not re.search("是.*的事", fact)
    stated = match["verb"] in ("忘记", "忘記", "忘掉", "忘了") and _STATED.match(fact)
    return MemoryRequest("forget", fact=_TOPIC.sub("", fact)) if topic or stated else None


def _remember(match: re.Match[str]) -> MemoryRequest | None:
    fact = match["fact"].strip()
    this = _THIS.match(fact)
    if this:
        return MemoryRequest("remember", _person(this["whom"] or this["whom2"]), before=True)
    if fact in ("这个", "這個", "这件事", "这些", "这一点"):
        return MemoryRequest("remember", ME, before=True)
    asks = match["verb"] in (
        "记住",
        "記住",
        "记下",
        "记下来",
        "記下",
        "記下來",
        "记一下",
        "記一下",
        "牢记",
    )
    if re.match("了|没|吧|啊|那天|那时|当时|小时候|时候", fact) or (
        not asks and not fact.startswith("我")
    ):
        return None
    return MemoryRequest("remember", fact=fact)


def _person(said: str) -> str:
    whom = said.strip("，, 的")
    return ME if whom in ("我", "我自己", "") else whom


REQUESTS: Final = RequestPatterns(read=_read, bot="机器人|機器人", bot_attached="机器人|機器人")
