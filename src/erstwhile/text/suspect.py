"""What speaks against taking a statement at its word: it tells a machine what to do, claims rights, or holds a secret.

Advisory: what is flagged is kept, quoted as what its author said, and shown to people for review.
"""

from __future__ import annotations

import re
from typing import Final

INSTRUCTION: Final = "instruction"
AUTHORITY: Final = "authority"
SECRET: Final = "secret"
HIDDEN: Final = "hidden"  # signs nobody sees, or that turn the reading order
SENDING: Final = "sending"  # where to send something
REASONS: Final = (INSTRUCTION, AUTHORITY, SECRET, HIDDEN, SENDING)

_SECRET = re.compile(
    r"\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|er)[-_][\w-]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY|"
    r"\b(?:password|passwort|passcode|pin|api key)\b\s*(?:is|ist|:|=)\s*\S+|(?:비밀번호|암호)\s*(?:은|는|:|=)\s*\S+|"
    r"(?:密码|密碼|口令)\s*(?:是|为|：|:|=)\s*\S+|"
    r"\b(?:\d[ -]?){15,16}\b",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your |my |previous |prior |above )+(?:instructions?|rules?|prompts?|messages?)|"
    r"\b(?:from now on|always|never)\b.{0,40}\b(?:answer|reply|respond|say|send|forward|tell|obey|call|use|write|include|mention)\b|"
    r"\byou (?:must|have to|should|will) (?:always|never|now)\b|\bsystem prompt\b|</?\w+[^>]*>|<\|[^|]*\|>|^\s*(?:system|assistant)\s*:|"
    r"(?:이전|위의|모든) (?:지시|명령|규칙).{0,10}무시|(?:항상|앞으로는?) .{0,30}(?:대답|답|말|보내)|"
    r"(?:忽略|无视|無視)(?:之前|以上|所有)?.{0,6}(?:指令|指示|规则|規則)|(?:从现在起|今后|以后)?(?:必须|总是|永远).{0,20}(?:回答|回复|发送|说)|"
    r"\b(?:must|shall|should|will|(?:has|have|needs?|ought) to) (?:all |always |now )*obey\b|(?:^|[:;,.]\s*)obey\b|"
    r"\b(?:every(?:one|body)|you all|all of you) obeys?\b|복종(?:해야|하라|하세요)|(?:必须|都要|都得|應該|应该)(?:服从|服從|听从|聽從)",
    re.IGNORECASE | re.MULTILINE,
)
_AUTHORITY = re.compile(
    r"(?:\b(?:is|am|are|as) |\bI['’]m (?=(?:the|your|our) ))(?:an? |the |your |our |this server'?s? )*"
    r"(?:(?:real |new |only |true )*(?:admin(?:istrator)?|moderator|owner|developer|creator|operator|root|superuser)s?)\b|"
    r"(?:\b(?:is|am)|['’]m) (?:the |your |our )*(?:boss|master|ruler|king|queen) of (?:every(?:one|body)|all|you|us)\b|"
    r"(?:관리자|운영자|개발자|주인)(?:이다|입니다|이에요|예요|야|임)|是(?:你的|这里的|本群的)?(?:管理员|開發者|开发者|主人|群主|所有者)",
    re.IGNORECASE,
)


# Not the joiners of emoji and of Persian, nor the marks that writing from right to left needs.
_HIDDEN = re.compile("[\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]+")
_TO = r"(?:https?://[^\s<>]{1,200}|[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,})"
_SENDING = re.compile(
    rf"\b(?:send|forward|post|upload|submit|report|e-?mail|copy|schick\w*|sende\w*|envoie\w*|envía\w*)\b[^\n]{{0,60}}?{_TO}|"
    rf"{_TO}[^\n]{{0,40}}?(?:보내|전송|전달|올려|업로드)|(?:发送|发给|发到|转发|上传|寄给|寄到|傳送|轉發)[^\n]{{0,30}}?{_TO}|"
    r"!\[[^\]\n]{0,200}\]\(\s*https?://[^)\s]{1,500}",
    re.IGNORECASE,
)
_PATTERNS: Final = {
    INSTRUCTION: _INSTRUCTION,
    AUTHORITY: _AUTHORITY,
    SECRET: _SECRET,
    HIDDEN: _HIDDEN,
    SENDING: _SENDING,
}


def reasons(text: str) -> tuple[str, ...]:
    """All that speaks against it."""
    return tuple(reason for reason, pattern in _PATTERNS.items() if pattern.search(text))


def spans(text: str) -> list[tuple[int, int, str]]:
    """Where, in order; a place that speaks against it for two reasons is named for the first."""
    found = [(m.start(), m.end(), reason) for reason, pattern in _PATTERNS.items() for m in pattern.finditer(text)]
    told: list[tuple[int, int, str]] = []
    for start, end, reason in sorted(found, key=lambda each: (each[0], -each[1])):
        if end > start and (not told or start >= told[-1][1]):
            told.append((start, end, reason))
    return told


def flag(text: str) -> str:
    """ "" when nothing speaks against it."""
    if _SECRET.search(text):
        return SECRET
    if _INSTRUCTION.search(text):
        return INSTRUCTION
    return AUTHORITY if _AUTHORITY.search(text) else ""
