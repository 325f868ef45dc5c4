"""Korean rules for structured memories. A sentence mostly leaves out who it is about; one that names somebody else is passed over."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.facts import words
from erstwhile.language.structured import PatternRule, Rules

_PLACE: Final = "[가-힣A-Za-z]{2,10}?"
_VERY: Final = "(?:정말|진짜|너무|아주|제일|가장|엄청|특히|완전|되게|원래|요즘|이제) ?"
_IS: Final = "(?:이에요|예요|입니다|이야|야|임|이다)"
_NO_MORE: Final = "(?:이제는?|인제|더 ?이상은?|더는)"
# Where one goes without working there: to learn, to be healed, to pray, to sweat.
_NO_WORK: Final = (
    "[가-힣A-Za-z]*(?:학교|대학|대학원|학원|유치원|어린이집|도서관"
    "|병원|의원|치과|교회|성당|절|헬스장|헬스|체육관|수영장|요가|필라테스|(?<!현)대)에"
)
_SUBJECT: Final = "(?:은|는|이|가|께서|도|들은|들이)"
_MINE: Final = "(?:제|내|우리|저희|저의|나의|울)"
# What someone has and still speaks of themselves.
_TRAITS: Final = "이름|성함|별명|직업|생일|나이|취미|꿈|고향|전공|혈액형|키|입맛|최애|생각|경우|소개"
_KIN: Final = (
    "언니|누나|오빠|형|(?:여|남)?동생|엄마|아빠|어머니|아버지|부모님|아내|남편|와이프|친구|여자친구|남자친구|여친|남친|딸|아들|할머니|할아버지"
    "|룸메이트|룸메|이웃|동료|상사|사장님|이모|고모|삼촌|사촌|조카|걔|그녀|그|얘|쟤|너|당신|[가-힣]{1,4}씨|[가-힣]{2,4}님"
)
_ANIMALS: Final = "강아지|고양이|개|토끼|햄스터|애기|아기|아이|애"
# Where people live and work, and how long ago, is said of whoever is named in front; what they like may be named there itself.
_SOMEWHERE: Final = r"(?:\S+ ){0,3}?\S+(?:에|에서|로) (?:살|산|삽|거주|이사|다녀|다니|다닙|일해|일하|일합|일한|취직)"

STRUCTURED: Final = Rules(
    rules=(
        PatternRule(
            "fact",
            "home",
            words(
                rf"(?:^|\s)(?P<value>{_PLACE})에(?:는|서는)? ?{_NO_MORE} (?:안 살|살지 않)"
                rf"|(?:^|\s){_NO_MORE} (?P<value2>{_PLACE})에(?:는|서는)? ?(?:안 살|살지 않)|(?:^|\s)(?P<value3>{_PLACE})에(?:서)? 살았"
            ),
            "{name}: 이제 {value}에 살지 않는다.",
            done=True,
        ),
        PatternRule(
            "fact",
            "home",
            words(
                rf"(?:^|\s)(?P<value>{_PLACE})에(?:서)? (?:살고 ?있|살아|삽니다|산다|살게|거주)|(?:^"
                rf"|\s)(?P<value2>{_PLACE})(?:으로|로) 이사(?:했|왔|갔|를 했|를 왔)"
            ),
            "{name}: {value}에 산다.",
        ),
        PatternRule(
            "fact",
            "employer",
            words(
                r"(?:^|\s)(?P<value>[가-힣A-Za-z]{2,12})에서 일(?:해|하고|합니다|한다|함)|(?:^"
                rf"|\s)(?!{_NO_WORK})(?P<value2>[가-힣A-Za-z]{{2,12}})에 (?:다녀(?![가-힣])|다녀요|다니고|다닙니다|취직했)"
            ),
            "{name}: {value}에서 일한다.",
        ),
        PatternRule(
            "fact",
            "job",
            words(
                rf"(?:제|내) ?직업은 (?P<value>[가-힣]{{2,8}}?){_IS}|(?:^|\s)(?P<value2>[가-힣]{{2,8}}?)(?:으로"
                rf"|로) 일(?:해|하고|합니다)"
            ),
            "{name}: 직업은 {value}.",
        ),
        PatternRule(
            "fact",
            "name",
            words(rf"(?:제|내) ?이름은 (?P<value>[가-힣]{{2,4}}?|[A-Z][a-z]+){_IS}"),
            "{name}: 이름은 {value}.",
        ),
        PatternRule("fact", "age", words(rf"(?:^|\s)(?P<value>\d{{1,2}})살{_IS}"), "{name}: {value}살."),
        PatternRule(
            "fact", "birthday", words(r"(?:제|내) ?생일은 (?P<value>\d{1,2}월 ?\d{1,2}일)"), "{name}: 생일은 {value}."
        ),
        PatternRule(
            "fact",
            "relationship",
            words(
                "(?:저는?|나는?|난|전) ?(?P<value>미혼|기혼|싱글|솔로)(?:이에요|예요|입니다|이야|야)"
                "|(?P<value2>결혼|이혼|약혼)했(?:어|습|다|음)"
            ),
            "{name}: {value}.",
        ),
        PatternRule(
            "fact",
            "pet",
            words(rf"(?P<what>강아지|고양이|토끼|햄스터) ?이름은 (?P<value>[가-힣]{{1,6}}?){_IS}"),
            "{name}: {what} 이름은 {value}.",
        ),
        PatternRule(
            "preference",
            "favourite {what}",
            words(
                rf"(?:제일|가장) 좋아하는 (?P<what>[가-힣]{{1,6}}?)(?:은|는) (?P<value>[가-힣A-Za-z ]{{1,14}}?){_IS}"
            ),
            "{name}: 제일 좋아하는 {what}은 {value}.",
        ),
        PatternRule(
            "preference",
            "allergy",
            words(r"(?:^|\s)(?P<value>[가-힣]{1,8}) ?(?:알레르기|알러지)(?:가|이|도)? ?(?:있|심)"),
            "{name}: {value} 알레르기가 있다.",
        ),
        PatternRule(
            "preference",
            "diet",
            words("(?P<value>비건|채식주의자|베지테리언)(?:이에요|예요|입니다|이야|야|이 됐)"),
            "{name}: {value}.",
        ),
        PatternRule(
            "preference",
            "likes",
            words(
                r"(?P<value>[가-힣A-Za-z]{1,12}?)(?:을|를|은|는|도)? (?:이제 (?:더 ?이상 )?안 좋아"
                r"|더 ?이상 (?:안 좋아|좋아하지 않))"
                r"|(?:이제|더 ?이상) (?:더 ?이상 )?(?P<value2>[가-힣A-Za-z]{1,12}?)(?:을|를|은|는"
                r"|도)? (?:안 좋아(?:해|합)|좋아하지 않)"
            ),
            "{name}: 이제 {value} 안 좋아함.",
            done=True,
        ),
        PatternRule(
            "preference",
            "dislikes",
            words(
                rf"(?P<value>[가-힣A-Za-z]{{1,12}}?)(?:을|를|은|는|도)? (?:{_VERY})?(?:싫어(?:해|합니다|함|한다)"
                rf"|안 좋아(?:해|합니다|함)|좋아하지 않|못 ?먹어)"
            ),
            "{name}: {value} 싫어함.",
        ),
        PatternRule(
            "preference",
            "likes",
            words(rf"(?P<value>[가-힣A-Za-z]{{1,12}}?)(?:을|를|도) (?:{_VERY})?좋아(?:해|합니다|함|한다)"),
            "{name}: {value} 좋아함.",
        ),
        PatternRule(
            "decision", "", words(r"(?P<value>[^,.!?]{2,60}기로) (?:했|결정|정했|함)"), "{name}: {value} 했다."
        ),
        PatternRule(
            "todo",
            "",
            words(r"(?P<value>[^,.!?]{2,40}?) ?(?:다 했|다 끝냈|끝냈|완료했|처리했)(?:어|습|다|음)"),
            "{name}: {value} 끝냄.",
            done=True,
        ),
        PatternRule(
            "todo",
            "",
            words(
                r"(?P<value>[^,.!?]{2,40}?[가-힣]야) ?(?:해요?|돼요?|합니다|됩니다|한다|된다|함|겠)(?=[\s.!~]|$)"
                r"|(?P<value2>[^,.!?]{2,40}?(?:는|ㄴ|은)? 것) ?(?:잊지 ?마|까먹지 ?마)|^(?:할 ?일"
                r"|할 것) ?: ?(?P<value3>[^,.!?]{2,40})"
                r"|(?P<value4>[^,.!?]{2,40}?(?:라고|하라고)) (?:알려|상기시켜|리마인드)"
            ),
            "{name}: {value} 함.",
            request=True,
        ),
    ),
    others=re.compile(
        rf"(?:^|\s){_MINE}? ?(?:{_KIN}){_SUBJECT}?(?=\s)"
        rf"|(?:^|\s){_MINE} (?!(?:{_TRAITS})[가-힣]*\s)[가-힣]{{1,8}}?{_SUBJECT}(?=\s)(?!\s이름)"
        rf"|(?:^|\s)(?:{_ANIMALS})(?:은|는|이|가) (?=\S{{1,12}}[을를] )"
        r"|^(?!나는|저는|내가|제가|우리는|우리가|저희는|저희가|지금은|이제는|요즘은|현재는|올해는|작년에는|원래는|사실은|오늘은|내일은|직장은|회사는|집은|집이)"
        rf"[가-힣]{{2,5}}?(?:은|는|이|가|께서) (?={_SOMEWHERE})"
    ),
    useless=re.compile(
        r"^(?:집|여기|거기|저기|이거|그거|저거|이것|그것|저것|혼자|같이|밖|근처|시골|기숙사|아파트|새집|그|이|저|너"
        r"|네|정말|진짜|별로|더|안|못|이제|회사|학교|대학교|대학|대학원)$"
    ),
    maybe=re.compile(r"다면|으면|려면|았으면|었으면|할까|을까|ㄹ까|지 않아도|안 해도|싶|것 같|아마"),
    ending=re.compile(r"\s+$"),
    today=(("오늘", 0), ("내일", 1), ("모레", 2)),
)
