"""English that is not to be taken at its word."""

from typing import Final

from erstwhile.language.suspicion import Suspicion

SUSPICION: Final = Suspicion(
    secrets="password|passcode|pin|api key",
    is_="is",
    instruction=(
        r"\b(?:ignore|disregard|forget) (?:all |any |the |your |my |previous |prior |above )+"
        r"(?:instructions?|rules?|prompts?|messages?)|"
        r"\b(?:from now on|always|never)\b.{0,40}"
        r"\b(?:answer|reply|respond|say|send|forward|tell|obey|call|use|write|include|mention)\b|"
        r"\byou (?:must|have to|should|will) (?:always|never|now)\b|\bsystem prompt\b|"
        r"\b(?:must|shall|should|will|(?:has|have|needs?|ought) to) (?:all |always |now )*obey\b|"
        r"(?:^|[:;,.]\s*)obey\b|\b(?:every(?:one|body)|you all|all of you) obeys?\b"
    ),
    authority=(
        r"(?:\b(?:is|am|are|as) |\bI['’]m (?=(?:the|your|our) ))(?:an? |the |your |our |this server'?s? )*"
        r"(?:(?:real |new |only |true )*"
        r"(?:admin(?:istrator)?|moderator|owner|developer|creator|operator|root|superuser)s?)\b|"
        r"(?:\b(?:is|am)|['’]m) (?:the |your |our )*(?:boss|master|ruler|king|queen) of "
        r"(?:every(?:one|body)|all|you|us)\b"
    ),
    sending_verbs="send|forward|post|upload|submit|report|e-?mail|copy",
    orders=(
        r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|prompts?|rules?|everything|guidelines)\b"
        r"|\byou (?:are|must|will) now\b|\b(?:system|developer) (?:prompt|message|mode)\b|\bjailbreak"
        r"|\bfrom now on,? (?:you|always|never)\b|\byou (?:must|should|have to) (?:always|never|only)\b"
        r"|\b(?:always|never) (?:answer|respond|reply|reveal|say)\b"
    ),
)
