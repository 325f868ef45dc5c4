"""Mask secrets that people paste into a conversation: keys, tokens, passwords.

Only what has the form of a secret, or is named one, is masked. Ids, hashes and UUIDs stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from functools import cache, lru_cache
from operator import is_
from typing import Any, Final, TypeVar, cast

from erstwhile.base.later import late_pattern

T = TypeVar("T")

MASK: Final = "[secret]"

_CHARACTERS: Final = "A-Za-z0-9_-"
# By the providers' own prefixes. What begins inside of a word is none.
_KEY: Final = late_pattern(
    rf"(?<![{_CHARACTERS}])(?:"
    rf"sk-(?=[{_CHARACTERS}]*\d)[{_CHARACTERS}]{{20,}}"  # OpenAI, Anthropic, OpenRouter
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{16,}"  # Stripe
    r"|gh[opsru]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"
    rf"|glpat-[{_CHARACTERS}]{{20,}}|xox[abeoprs]-[A-Za-z0-9-]{{10,}}|xapp-[A-Za-z0-9-]{{10,}}"
    rf"|A[KS]IA[A-Z0-9]{{16}}(?![A-Za-z0-9])|AIza[{_CHARACTERS}]{{35}}|ya29\.[{_CHARACTERS}]{{20,}}"
    rf"|hf_[A-Za-z0-9]{{30,}}|npm_[A-Za-z0-9]{{30,}}|pypi-[{_CHARACTERS}]{{40,}}"
    rf"|SG\.[{_CHARACTERS}]{{16,}}\.[{_CHARACTERS}]{{16,}}|dop_v1_[a-f0-9]{{40,}}|shpat_[a-f0-9]{{32}}"
    rf"|gsk_[A-Za-z0-9]{{30,}}|xai-[A-Za-z0-9]{{30,}}|r8_[A-Za-z0-9]{{30,}}|GOCSPX-[{_CHARACTERS}]{{20,}}"
    r"|lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}"
    rf"|\d{{8,10}}:AA[{_CHARACTERS}]{{33}}(?![{_CHARACTERS}])"  # a bot of Telegram
    rf"|[MNO][{_CHARACTERS}]{{22,28}}\.[{_CHARACTERS}]{{6,7}}\.[{_CHARACTERS}]{{27,40}}"  # one of Discord
    rf"|er_[0-9a-z]{{12}}_[{_CHARACTERS}]{{20,}}"
    rf"|eyJ[{_CHARACTERS}]{{8,}}\.[{_CHARACTERS}]{{8,}}\.[{_CHARACTERS}]{{8,}}"  # a JSON web token
    r")"
)
_BLOCK: Final = late_pattern(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s+[A-Za-z0-9+/=]{16,})*+"
    r"(?:(?:\s+[A-Za-z0-9+/=]{1,15})?\s{0,4}-----END [A-Z ]{0,40}-----)?"
)
_BEARER: Final = late_pattern(
    r"(?P<before>\b(?:bearer|basic)[ \t]{1,4})[A-Za-z0-9._~+/=-]{20,}", re.IGNORECASE
)
_IN_URL: Final = late_pattern(
    r"(?P<before>\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,64}:)[^\s/@]{1,128}(?=@)", re.IGNORECASE
)
_WEBHOOK: Final = late_pattern(
    r"(?P<before>\bhooks\.slack\.com/services/|\bdiscord(?:app)?\.com/api/webhooks/\d{1,20}/)[\w/-]{20,}"
)
_VARIABLE: Final = late_pattern(
    r"(?P<before>\b[A-Z][A-Z0-9_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)[ \t]?[=:][ \t]?[\"']?)[^\s\"'<>&]{8,}"
)
_VALUE: Final = r"[^\s\"'`,;<>&\[\]]"
_NAMES: Final = (
    "password|passwd|pwd|passcode|passphrase|api[ _-]?key|secret[ _-]?key|client[ _-]?secret|access[ _-]?token"
    "|auth[ _-]?token|passwort|kennwort|mot de passe|contraseña|senha|пароль|비밀번호|암호|密码|密碼|パスワード"
)
# After "is" only what looks like one: "the password is wrong" is talk.
_NAMED: Final = late_pattern(
    rf"(?P<before>(?<![^\W_])(?:{_NAMES})(?:[ \t]{{0,4}}(?:[:=：]|은|는|是|は)|[ \t]{{1,4}}(?:is|ist|est|es))"
    rf"[ \t]{{0,4}}[\"'`]?)(?:(?={_VALUE}{{0,200}}[\d!$%^*#@+?]{_VALUE}){_VALUE}{{4,200}}"
    rf"|(?={_VALUE}{{0,200}}\d){_VALUE}{{4,200}})"
    rf"|(?P<long>(?<![^\W_])(?:token|secret)(?:[ \t]{{0,4}}[:=：]|[ \t]{{1,4}}is)[ \t]{{0,4}}[\"'`]?)"
    rf"(?=[A-Za-z]{{0,200}}\d)(?=\d{{0,200}}[A-Za-z]){_VALUE}{{16,200}}"
    rf"|(?P<named>(?<![^\W_])(?:{_NAMES})[ \t]{{0,4}}[:=：][ \t]{{0,4}}[\"'`]?){_VALUE}{{3,200}}(?=[\"'`]|\s*$|\s*\n)",
    re.IGNORECASE | re.MULTILINE,
)


# Each secret is a long run of characters with "-" or "_", or has one of these in it or beside it. Most texts have neither.
_RUN: Final = late_pattern(r"\S{14,}")
_KEPT: Final = 4096  # texts: the jobs of a chunk mask the same lines
_LONGEST_KEPT: Final = 4000  # characters
_MARKS: Final = (
    *("://", "hooks.slack.com", "/api/webhooks/", "-----begin", "bearer", "basic", "akia", "asia"),
    *("aiza", "eyj", "sg.", "ya29.", "key", "token", "secret", "pass", "pwd", "kennwort"),
    *("contrase", "senha", "пароль", "비밀번호", "암호", "密码", "密碼", "パスワード"),
)


def mask(text: str) -> str:
    """Replace each secret in a text by "[secret]"."""
    if not (_known(text) if len(text) <= _LONGEST_KEPT else _may_have_one(text)):
        return text
    text = _BLOCK.sub(MASK, _KEY.sub(MASK, text))
    for pattern in (_BEARER, _IN_URL, _WEBHOOK, _VARIABLE):
        text = pattern.sub(rf"\g<before>{MASK}", text)
    return _NAMED.sub(rf"\g<before>\g<long>\g<named>{MASK}", text)


def _may_have_one(text: str) -> bool:
    folded = text.casefold()
    for mark in _MARKS:
        if mark in folded:
            return True
    if "-" not in text and "_" not in text and ":AA" not in text and "." not in text:
        return False
    return any(map(_may_be_one, _RUN.findall(text)))


def _may_be_one(run: str) -> bool:
    return "-" in run or "_" in run or ":AA" in run or (run.count(".") > 1 and len(run) > 50)


_known: Final = lru_cache(maxsize=_KEPT)(_may_have_one)


_TEXTLESS: Final = frozenset({type(None), bool, int, float, datetime})


def masked(value: T) -> T:
    """Return a value of texts, lists, dicts and dataclasses with all its texts masked: itself, if
    there was nothing to mask."""
    return cast(T, _masked(value))


def _masked(value: Any) -> Any:
    made = type(value)
    if made in _TEXTLESS:
        return value
    if isinstance(value, str):
        return mask(value)
    if made is list or made is tuple:
        changed = [_masked(each) for each in value]
        return value if all(map(is_, changed, value)) else made(changed)
    if names := _names(cast(Any, made)):
        held = {name: getattr(value, name) for name in names}
        masked = {name: _masked(old) for name, old in held.items()}
        new = {name: each for name, each in masked.items() if each is not held[name]}
        return replace(value, **new) if new else value
    if isinstance(value, Mapping):
        return {key: _masked(each) for key, each in value.items()}
    return value


@cache
def _names(made: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(made) if each.init) if is_dataclass(made) else ()
