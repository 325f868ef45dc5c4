"""Slots of Chinese statements in the third person.

The person must be the subject: no other name may come between, and it must not be a wish.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from erstwhile.language.slots import Slots, SlotValue, first

_WHEN: Final = "(?:现在|現在|目前|已经|已經|刚刚?|剛剛?|最近|去年|今年|上个月|上個月|上周|昨天|一直|终于|終於|真的|就|都|，){0,4}"
_HOW: Final = (
    "(?:现在|現在|很|非常|特别|特別|真的|最|超级|超|比较|比較|一直|从小|也|还|還|都|挺|就){0,4}"
)
_RULES: Final = tuple(
    (slot, over, re.compile((_HOW if slot in ("likes", "dislikes") else _WHEN) + pattern))
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
        (
            "relationship",
            False,
            r"(?:是)?(?P<value>单身|單身|结婚|結婚|离婚|離婚|订婚|訂婚)了?的?$",
        ),
        ("diet", False, r"(?:是)?(?:一?[名位个個])?(?P<value>吃素|素食者|素食主义者)的?$"),
        (
            "favourite",
            False,
            r"的?最(?:喜欢|喜歡|爱|愛)的(?P<what>[^，。]{1,6}?)是(?P<value>[^，。！？]{1,16})$",
        ),
        (
            "name",
            False,
            r"(?:的?名字[叫是]|叫)(?P<value>[^，。！？我他她]{1,4}|[A-Za-z][A-Za-z .-]*)$",
        ),
        (
            "likes",
            True,
            r"(?:不再(?:喜欢|喜歡|爱吃|爱喝)(?P<value>[^，。！？]{1,12}?)了?|不(?:喜欢|喜歡|爱吃|爱喝)(?P<value2>[^，。！？]{1,12}?)了)$",
        ),
        (
            "dislikes",
            False,
            r"(?:讨厌|討厭|不喜欢|不喜歡|不爱吃|不爱喝|不爱)(?P<value>[^，。！？]{1,12})$",
        ),
        ("likes", False, r"(?:喜欢|喜歡|爱吃|爱喝|爱看|愛吃|愛喝)(?P<value>[^，。！？]{1,12})$"),
    )
)


def _find(rest: str) -> SlotValue | None:
    return first(_RULES, rest)


def _assertion(said: str, undenied: Callable[[str], str]) -> tuple[str, ...]:
    return (re.sub("了\\Z|[了，]", "", undenied(said)),)


SLOTS: Final = Slots(find=_find, assertion=_assertion, birthday="月")
