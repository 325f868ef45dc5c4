"""The structure of Chinese statements about a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from erstwhile.language.statements import ListedItems, Statements

_KIN: Final = (
    "妈妈|媽媽|母亲|母親|爸爸|父亲|父親|父母|爸妈|哥哥|弟弟|姐姐|妹妹|老婆|妻子|太太|老公|丈夫|先生|女朋友|男朋友|女友|男友|儿子|兒子|女儿|女兒"
    "|孩子|爷爷|奶奶|外公|外婆|叔叔|阿姨|同事|同学|同學|室友|朋友|老板|邻居|家人|狗|猫|貓"
)
_JOINT: Final = re.compile("[，；]")
_LIST: Final = re.compile(
    r"\A(?P<head>.*?(?:喜欢|喜歡|爱吃|爱喝|讨厌|会说|有))(?P<items>[^，。]+?[和、与跟][^，。]+?)(?P<end>[。！]?)\Z"
)


def _listed(part: str) -> ListedItems | None:
    match = _LIST.match(part)
    if match is None:
        return None
    return ListedItems(
        match["head"], tuple(re.split("[和、与跟]", match["items"])), match["end"], ("、", "和")
    )


def _clauses(body: str, subject: str) -> list[str]:
    pieces = [piece for piece in _JOINT.split(body.rstrip("。")) if piece.strip()]
    return [piece if piece.startswith(subject) else subject + piece for piece in pieces]


def _join(parts: Sequence[str], subject: str) -> str:
    return "，".join([parts[0], *(part.removeprefix(subject) for part in parts[1:])]) + "。"


STATEMENTS: Final = Statements(
    word_of="据{}说，",
    name=r"[^，\n]{1,140}?",
    everything=(
        "(?:(?:关于|關於|有关|有關)?(?:我|他|她|{names})的?)?(?:一切|所有(?:的?(?:事情|事|信息|记忆|东西))?|全部)"
    ),
    owned=f"(?:的?(?:{_KIN}))+",
    listed=_listed,
    clauses=_clauses,
    join=_join,
    empty="关于|關於|有关|这件事|這件事|的事情?|我说过?的?|我|的|了|吧|吗|呢",
)
