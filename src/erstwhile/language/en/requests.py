"""Requests in English to remember, to forget, or to say what is known. In doubt there is none."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.requests import EVERYTHING, ME, MemoryRequest, RequestPatterns, about

_PLEASE: Final = r"(?:(?:please|pls|kindly|also|and|now|so|ok|okay)[, ]+)*"
_MAY: Final = rf"(?P<may>{_PLEASE}(?:(?:can|could|will|would) you {_PLEASE})?|i(?: want| need|['’]?d like| would like) you to )"
_WHOM: Final = r"(?P<whom><@!?[^<>\s]+>|@?[^\s,:;.!?][^,:;.!?\n]{0,60}?)"

# Requests to remember: with "that" or a colon; otherwise a statement must follow.
_REMEMBER: Final = re.compile(
    rf"\A{_MAY}(?P<verb>remember|memori[sz]e|note(?: down)?|make a note|take note|keep in mind|don['’]?t (?:ever )?forget|never forget)"
    r"(?P<how>\s*[:：]\s*| this\s*[:,：]\s*| (?:the fact )?that |, that |, | )(?P<fact>\S.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_THIS: Final = re.compile(
    rf"\A{_MAY}(?:remember|note|save|keep)(?: (?:this|that|it|these|what (?:was|we|they|he|she|i) (?:just )?said|all this))?"
    rf"(?: about| regarding| for) {_WHOM}(?:\s*[:,]\s*(?P<fact>\S.*))?[.!]*\Z",
    re.IGNORECASE | re.DOTALL,
)
_JUST_THIS: Final = re.compile(
    rf"\A{_MAY}(?:remember|save|note) this(?: please)?[.!]*\Z", re.IGNORECASE
)
_NO_FACT: Final = re.compile(
    r"\A(?:when|how|where|who|whom|what|why|which|if|whether|to|not to|me|him|her|it|us|them|you|your|you['’]\w+|everyone|everybody|there"
    r"|(?:that|this|the|those|these|one|our|old|good)(?: (?:last|first|old|good|same|other|whole|very|fateful|crazy|funny))*"
    r" (?:time|times|day|days|night|nights|one|ones|guy|girl|place|party|summer|winter|trip|movie|song|game|year|years|week|weekend|feeling"
    r"|moment|story|joke|face|look|way|thing|things|name))\b",
    re.IGNORECASE,
)
_OWN: Final = re.compile(r"\A(?:i|i['’]\w+|my|we|our)\b", re.IGNORECASE)
_STATES: Final = re.compile(
    r"\b(?:is|am|are|was|were|has|have|had|likes?|loves?|hates?|lives?|works?|prefers?|goes|go|moved|wants?|needs?|can|can['’]t|cannot|don['’]t"
    r"|doesn['’]t|didn['’]t|will|won['’]t|never|always|eats?|drinks?|speaks?|plays?|uses?|got|started|quit|isn['’]t|aren['’]t|dislikes?|enjoys?"
    r"|studies|study|owns?|drives?|used|came|grew|knows?|left)\b|['’](?:s|m|re|ve|ll|d)\b",
    re.IGNORECASE,
)

_FORGET: Final = re.compile(
    rf"\A{_MAY}(?:forget|delete|erase|remove|unlearn)"
    r"(?P<how> (?:the fact )?that | about | what (?:i|we) (?:told|said to|said)(?: you)?(?: about)? "
    r"| )(?P<fact>\S.*?)[.!]*\Z",
    re.IGNORECASE | re.DOTALL,
)
_NOT_MEANT: Final = re.compile(
    r"\A(?:it|that|this|you|your|him|her|us|them|what|how|who|when|where|why"
    r"|the (?:past|rest|whole)|to|me|i (?:said|asked)|one|all (?:that|this|about it))"
    r"(?:\b(?!['’]s).{0,40})?\Z|\A(?:it|him|her|them|us|you|the|to|what|how)\b",
    re.IGNORECASE,
)
# "that I said it" asks to forget the message, not its content.
_JUST_SAID: Final = re.compile(
    r"\A(?:i|we) (?:(?:ever|just|even) )*(?:said|asked|mentioned|told|wrote|brought|met)\b|\A(?:i|we) ever\b",
    re.IGNORECASE,
)
_NAMED_DOES: Final = re.compile(
    r"(?:<@!?\w+>|@\w+|[A-Z]\w*(?: [A-Z]\w*)?) (?:[a-z]+ly )?[a-z]+(?:[^s]s|ed)\b"
)
_GOES_ON: Final = re.compile(
    r"[,;—–-] ?(?:i|he|she|it|they|that|this|we|let|you)(?:['’]|\b)", re.IGNORECASE
)

_ABOUT: Final = re.compile(
    rf"\A{_PLEASE}(?:tell me |show me |say )?(?:what|everything|all)(?: (?:all|else))? (?:do )?you "
    r"(?:know|remember|have(?: stored| saved)?)"
    rf"(?: (?:all|anything|so far))? (?:about|on|of) {_WHOM}\s*[?.!]*\Z",
    re.IGNORECASE,
)
_DO_YOU_KNOW: Final = re.compile(
    rf"\A{_PLEASE}(?:what (?:is|has been) (?:known|remembered|told) about"
    rf"|tell me (?:more |something |everything )?about) {_WHOM}\s*[?.!]*\Z",
    re.IGNORECASE,
)
_DO_YOU_KNOW_ME: Final = re.compile(
    rf"\A{_PLEASE}(?:what(?: is|['’]s) my name"
    r"|do you (?:still )?(?:know|remember) (?:me|my name|who i am|anything about me)"
    r"|what (?:have i|did i) (?:ever )?(?:told|tell) you about (?:me|myself))(?: again)?\s*[?.!]*\Z",
    re.IGNORECASE,
)
_WHO: Final = re.compile(
    r"\A(?:who is|who['’]s|who am|do you know who) (?P<whom><@!?[^<>\s]+>|@?[^\s?]+(?: [^\s?]+){0,2}?)(?: is)?(?: again)?\s*\?*\Z",
    re.IGNORECASE,
)


def _read(said: str) -> MemoryRequest | None:
    this = _THIS.match(said)
    if this and not _STATES.search(this["whom"]):
        return MemoryRequest(
            "remember", _person(this["whom"]), (this["fact"] or "").strip(), before=not this["fact"]
        )
    if _JUST_THIS.match(said):
        return MemoryRequest("remember", ME, before=True)
    return _to_remember(said) or _to_forget(said) or _to_tell(said)


def _to_remember(said: str) -> MemoryRequest | None:
    match = _REMEMBER.match(said)
    if match is None:
        return None
    fact, how, verb = match["fact"].strip(), match["how"].strip(" ,").lower(), match["verb"].lower()
    asks = fact.endswith("?")
    if asks and not re.search(r"\b(?:can|could|will|would) you", match["may"], re.IGNORECASE):
        return None
    if _NO_FACT.match(fact) or (how == "that" and _NO_FACT.match(f"that {fact}")):
        return None
    stated = _STATES.search(fact) is not None
    if how == "that":
        meant = stated or not asks
        meant = meant and (verb != "keep in mind" or _OWN.match(fact) is not None)
    elif how.startswith((":", "：", "this")):
        meant = True
    else:
        own = _OWN.match(fact) is not None
        named = re.match(r"(?:<@!?\w+>|@\w|(?-i:[A-Z]))", fact) is not None
        plain = stated and verb not in ("note", "keep in mind")
        meant = plain and (own or (named and match["how"] == " "))
    if not meant:
        return None
    return MemoryRequest("remember", fact=fact.rstrip("?").strip() if asks else fact)


def _to_forget(said: str) -> MemoryRequest | None:
    match = _FORGET.match(said)
    if match is None or said.endswith("?") or _GOES_ON.search(match["fact"]):
        return None
    fact, how = match["fact"].strip(), match["how"].strip().lower()
    verb = re.search(r"\b(?:forget|delete|erase|remove|unlearn)\b", said, re.IGNORECASE)
    everything = re.match(
        r"(?:absolutely )?(?:everything|all)\b(?! (?:that|this|about (?:it|that|this))\b)",
        fact,
        re.IGNORECASE,
    )
    if everything:
        about = re.search(r"\b(?:about|on|of) (?P<whom>.+)\Z", fact, re.IGNORECASE)
        if about or re.fullmatch(
            r"(?:absolutely )?(?:everything|all)(?: (?:that )?you (?:know|remember))?",
            fact,
            re.IGNORECASE,
        ):
            return MemoryRequest("forget", _person(about["whom"]) if about else ME, EVERYTHING)
        return None
    if verb and verb[0].lower() != "forget" and how != "that":
        return None  # "delete the file" is not about the memory
    if how in ("that", "the fact that"):
        stated = _STATES.search(fact) or _OWN.match(fact) or _NAMED_DOES.match(fact)
        return MemoryRequest("forget", fact=fact) if stated and not _JUST_SAID.match(fact) else None
    if _NOT_MEANT.match(fact) and not _OWN.match(fact):
        return None
    own = re.match(r"(?:my|his|her|their|[\w@<>!]+['’]s)\b", fact, re.IGNORECASE)
    if how or own or (_OWN.match(fact) and _STATES.search(fact)):
        return MemoryRequest("forget", fact=fact)
    return None


def _to_tell(said: str) -> MemoryRequest | None:
    if _DO_YOU_KNOW_ME.match(said):
        return about(ME)
    match = _ABOUT.match(said) or _DO_YOU_KNOW.match(said)
    if match:
        return about(_person(match["whom"]))
    match = _WHO.match(said)
    if match:
        return MemoryRequest("about", _person(match["whom"]), sure=False)
    return None


def _person(said: str) -> str:
    whom = said.strip(" .!?\"'“”")
    return ME if whom.lower() in ("me", "myself", "i", "my") else whom


REQUESTS: Final = RequestPatterns(
    read=_read,
    greetings="hey|hi|hello|ok|okay|yo",
    bot=r"@?(?:the )?(?:bot|assistant|erstwhile)\w*",
    called=(
        r"\A(?:(?:hey|hi|ok|okay)[ ,]+)?(?-i:[A-Z])\w{1,24}[,:] "
        rf"(?={_PLEASE}(?:remember|forget|don['’]?t forget|note|what do you|who is)\b)"
    ),
)
