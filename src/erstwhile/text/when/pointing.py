"""Words that point at the past without saying when: last time, 之前, 지난번. A search that meets them looks further."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from erstwhile.text.when.folding import fold

# As folded: lower case, Latin letters without accents. Commas separate.
_SPACED: Final = """
    last time, the last time, previous time, the other day, the other night, the other week, remember when, remember that,
    remember how, remember the time, do you remember, you remember, do you recall, as i said, as i told you, like i said,
    earlier you said, you said earlier, you told me earlier, i said earlier, i told you earlier, earlier, previously,
    in the past, back then, back when, back in the day, a while ago, a while back, some time ago, long ago, long time ago,
    ages ago, not long ago, once said, once told, once mentioned, used to, said before, told you before, told me before,
    talked about before, mentioned before, discussed before, we talked about, we discussed, we spoke about, have i ever,
    did i ever, did we ever, have we ever, did i tell you, did i mention, have i told you, have i mentioned,
    damals, letztes mal, letzten mal, das letzte mal, voriges mal, vorhin, fruher, frueher, neulich, letztens, einst,
    vor einer weile, vor einiger zeit, vor langer zeit, weisst du noch, weißt du noch, erinnerst du dich, hatte ich gesagt,
    habe ich dir erzahlt, schon mal, schon einmal,
    la derniere fois, derniere fois, l autre fois, l autre jour, auparavant, autrefois, jadis, a l epoque, precedemment,
    tu te souviens, vous vous souvenez, te rappelles tu, tu te rappelles, tu m avais dit, je t avais dit, il y a longtemps,
    il y a quelque temps,
    la ultima vez, ultima vez, la otra vez, el otro dia, anteriormente, antes dijiste, dijiste antes, hace tiempo,
    hace un tiempo, hace mucho, en el pasado, en aquel entonces, en aquella epoca, te acuerdas, se acuerda, recuerdas cuando,
    recuerdas que, te dije, te conte
"""
_UNSPACED: Final = """
    之前, 以前, 上次, 上一次, 上回, 前几天, 前幾天, 前些天, 前两天, 前兩天, 前阵子, 前陣子, 前段时间, 前段時間, 当时, 當時, 那时候,
    那時候, 那时, 那時, 那次, 从前, 從前, 过去, 過去, 曾经, 曾經, 早先, 先前, 记得吗, 記得嗎, 还记得, 還記得, 你记得, 你記得,
    很久前, 好久前, 不久前,
    지난번, 지난 번, 저번에, 저번, 예전에, 예전, 옛날, 전에 말, 전에 얘기, 전에 이야기, 전에 했던, 이전에, 그때, 그 때, 당시,
    얼마 전, 얼마전, 며칠 전, 며칠전, 엊그제, 일전에, 요전에, 아까, 한참 전, 오래전, 오래 전, 기억나, 기억해, 기억하,
    この前, この間, こないだ, このあいだ, 前回, 以前, 先日, 前に言, 前に話, 前に聞, 前にも, 昔, かつて, あの時, あのとき, 当時,
    その時, そのとき, 覚えて, さっき, 先ほど
"""
# "before" by itself only where nothing follows it that it could be before.
_ALONE: Final = "before(?= {0,3}(?:$|[?!.,;]))"
# Words that hold one of these: 过去 is also "to go over there".
_OTHER_WORDS: Final = "过去一下|過去一下|走过去|走過去|从前面|從前面|以前往"


@cache
def _pattern() -> re.Pattern[str]:
    spaced = "|".join(re.escape(words).replace(r"\ ", "[ '-]{1,2}") for words in _listed(_SPACED))
    unspaced = "|".join(re.escape(words) for words in _listed(_UNSPACED))
    return re.compile(f"(?P<other>{_OTHER_WORDS})|(?<![a-z])(?:(?:{spaced})(?![a-z])|{_ALONE})|{unspaced}")


def _listed(words: str) -> list[str]:
    return sorted({each.strip() for each in words.split(",")}, key=lambda each: (-len(each), each))


def points_back(query: str) -> str:
    """The first words of `query` that point at the past, as they are written there; "" if none do."""
    folded = fold(query)
    for match in _pattern().finditer(folded.text):
        if match["other"] is None:
            start, end = folded.origin(match.start(), match.end())
            return query[start:end]
    return ""
