"""Korean that is not to be taken at its word."""

from typing import Final

from erstwhile.language.suspicion import Suspicion

SUSPICION: Final = Suspicion(
    secret=r"(?:비밀번호|암호)\s*(?:은|는|:|=)\s*\S+",
    instruction=(
        "(?:이전|위의|모든) (?:지시|명령|규칙).{0,10}무시|(?:항상|앞으로는?) .{0,30}(?:대답|답|말|보내)"
        "|복종(?:해야|하라|하세요)"
    ),
    authority="(?:관리자|운영자|개발자|주인)(?:이다|입니다|이에요|예요|야|임)",
    sending=r"TO[^\n]{0,40}?(?:보내|전송|전달|올려|업로드)",
    orders="(?:이전|위의?|앞의?|모든) ?(?:지시|명령|프롬프트|규칙)|시스템 ?프롬프트",
)
