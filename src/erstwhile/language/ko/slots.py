"""Slots of Korean statements in the third person.

The person must be the subject: no other name may come between, and it must not be a wish.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from erstwhile.language.slots import Slots, SlotValue, first

_WHEN: Final = "(?:(?:지금|지금은|현재|요즘|이제|이제는|최근에|작년에|올해|이번에|지난달에|지난주에|얼마 전에|드디어|정말|사실) ){0,3}"
_HOW: Final = "(?:(?:정말|정말로|진짜|아주|매우|너무|제일|가장|별로|전혀|엄청|되게|무척|많이|그다지|더 ?이상) ){0,3}"
_IS: Final = r"(?:이에요|예요|입니다|이야|야|이다|다|이고요)?$"
_END: Final = r"(?:고 있)?\S*$"
_RULES: Final = tuple(
    (slot, over, re.compile(_WHEN + pattern))
    for slot, over, pattern in (
        (
            "home",
            True,
            r"(?:더 ?이상 )?(?P<value>\S+?)에(?:서)? ?(?:더 ?이상 )?(?:안 살\S*|살지 않\S*|살았\S*)$",
        ),
        (
            "home",
            False,
            rf"(?:(?P<value>\S+?)에(?:서)? (?:살{_END}|산다\S*$|삽니다$|거주{_END})"
            r"|(?P<value2>\S+?)(?:으로|로) 이사(?:했|하였|왔|갔|를 왔|를 갔|온|간| 왔| 갔)\S*$)",
        ),
        (
            "employer",
            False,
            rf"(?:(?P<value>\S+?)에서 일(?:해|하|합|한){_END}"
            r"|(?!\S*(?:학교|대학|대학원|교회|성당|절|학원|헬스장|체육관|수영장|병원|유치원|도서관)에)"
            rf"(?P<value2>\S+?)에 (?:다녀|다니|다닙|취직){_END})",
        ),
        (
            "job",
            False,
            rf"(?:직업은 (?P<value>\S+?){_IS}|(?:\S+에서 )?(?P<value2>\S+?)(?:으로|로) 일(?:해|하|합|한){_END})",
        ),
        ("name", False, rf"이름은 (?P<value>\S+?){_IS}"),
        ("age", False, r"(?P<value>\d{1,3})살(?:이|입|\Z)\S*$"),
        ("birthday", False, r"생일은 (?P<value>\d{1,2}월 ?\d{1,2}일)"),
        (
            "relationship",
            False,
            r"(?:(?P<value>미혼|기혼|싱글|솔로)(?:이|예|입|야|다|\Z)\S*$|(?:\S+(?:와|과|랑|하고) )?(?P<value2>결혼|이혼|약혼)했\S*$)",
        ),
        ("diet", True, r"(?P<value>비건|채식주의자|베지테리언)(?:이|가)? (?:아니|아닙)\S*$"),
        (
            "diet",
            False,
            r"(?P<value>비건|채식주의자|베지테리언)(?:(?:이|가) (?:됐|되었)\S*|(?:이|예|입|야|다)\S*|)$",
        ),
        (
            "favourite",
            False,
            rf"(?:제일|가장) 좋아하는 (?P<what>\S+?)(?:은|는) (?P<value>.{{1,40}}?){_IS}",
        ),
        (
            "likes",
            True,
            r"(?:이제|더 ?이상) (?:더 ?이상 )?(?P<value>.{1,40}?)(?:을|를|은|는)? (?:안 좋아|좋아하지 않)\S*$",
        ),
        (
            "dislikes",
            False,
            rf"(?P<value>.{{1,40}}?)(?:을|를|은|는|도)? {_HOW}(?:싫어\S*|안 좋아\S*|좋아하지 않\S*|못 ?먹\S*)$",
        ),
        ("likes", False, rf"(?P<value>.{{1,40}}?)(?:을|를|도)? {_HOW}(?:좋아|사랑)(?!하지)\S*$"),
    )
)


def _find(rest: str) -> SlotValue | None:
    return first(_RULES, rest)


def _assertion(said: str, undenied: Callable[[str], str]) -> tuple[str, ...]:
    """Remove particles, and reduce the final verb to its first syllable."""
    plain = re.sub(r"(?<=\S)(?:을|를|은|는|이|가|도)(?= )", "", undenied(said))
    *before, verb = plain.split() or [""]
    return (*before, verb[:1])


SLOTS: Final = Slots(find=_find, assertion=_assertion)
