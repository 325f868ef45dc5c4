"""Every way a provider was seen to fail, by name, and a seeded mix of them for soak tests."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from erstwhile.base.records import dataclass
from erstwhile.testing.calls import Call

Kind = Literal[
    "status",
    "content",
    "refusal",
    "hang",
    "refused",
    "slow_drip",
    "truncated",
    "page",
    "cut_stream",
]

_HUGE = 1_000_000
_JSON = {"content-type": "application/json"}
_ERROR_PAGE = "<html><body><h1>502 Bad Gateway</h1></body></html>"
_ERROR_CODES = {
    400: ("invalid_request_error", "invalid_value"),
    401: ("authentication_error", "invalid_api_key"),
    404: ("not_found_error", "model_not_found"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
    529: ("overloaded_error", "overloaded"),
}
_ROOM = "This model's maximum context length is 4096 tokens."
_SENT = "However, your messages resulted in 5120 tokens."
_HAS = "and your request has 4096 input tokens."
_EXCEEDS = (
    "request (5120 tokens) exceeds the available context size (4096 tokens), try increasing it"
)
_MUST_BE = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096."
# How servers say that a request has more tokens than the model reads: type, code and message.
_TOO_LONG = {
    "openai": ("invalid_request_error", "context_length_exceeded", f"{_ROOM} {_SENT}"),
    "llama.cpp": ("exceed_context_size_error", "400", _EXCEEDS),
    "vllm": ("BadRequestError", "400", f"'max_tokens' is too large: 1024. {_ROOM[:-1]} {_HAS}"),
    "tgi": ("validation", "validation", _MUST_BE),
}
_REFUSALS = {
    "en": "I'm sorry, but I can't help with that request.",
    "de": "Es tut mir leid, aber ich kann dir dabei nicht helfen.",
    "fr": "Je suis désolé, mais je ne peux pas vous aider avec cette demande.",
    "es": "Lo siento, pero no puedo ayudarte con eso.",
    "ko": "죄송하지만 그 요청은 도와드릴 수 없습니다.",
    "zh": "很抱歉，我无法协助完成这个请求。",
    "ja": "申し訳ありませんが、そのご依頼にはお応えできません。",
}


def _json(**members: object) -> str:
    return json.dumps(members, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Fault:
    """Made by one of the named constructors below; `name` is what the call's outcome shows."""

    name: str
    kind: Kind
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    text: str = ""
    seconds: float | None = None
    size: int = 0

    @classmethod
    def rate_limited(cls, retry_after: float | str | None = None) -> Fault:
        """429; `retry_after` is seconds or an HTTP date."""
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        return cls("rate_limited", "status", 429, headers)

    @classmethod
    def server_error(cls, status: int = 500) -> Fault:
        return cls("server_error", "status", status)

    @classmethod
    def bad_request(cls, status: int = 400) -> Fault:
        return cls("bad_request", "status", status)

    @classmethod
    def filtered(cls) -> Fault:
        """400 of a provider's filter, for what the messages say."""
        return cls("filtered", "status", 400)

    @classmethod
    def too_long(cls, server: str = "openai") -> Fault:
        """More tokens than the model reads, in the words of "openai", "llama.cpp", "vllm" or "tgi"."""
        return cls("too_long", "status", 422 if server == "tgi" else 400, text=server)

    @classmethod
    def refused(cls, seconds: float = 0.5) -> Fault:
        """Drop this connection and refuse new ones for a while."""
        return cls("refused", "refused", seconds=seconds)

    @classmethod
    def hang(cls, seconds: float | None = None) -> Fault:
        """Say nothing: for so many seconds, or until the client or the server goes."""
        return cls("hang", "hang", seconds=seconds)

    @classmethod
    def slow_drip(cls, size: int = 4, seconds: float = 0.05) -> Fault:
        """Answer rightly, `size` bytes every `seconds`: no single read ever times out."""
        return cls("slow_drip", "slow_drip", seconds=seconds, size=size)

    @classmethod
    def truncated(cls, promised: bool = True) -> Fault:
        """Send half of the body: with the full Content-Length, or as if it were all."""
        return cls("truncated", "truncated", size=1 if promised else 0)

    @classmethod
    def not_json(cls, content_type: str = "text/html") -> Fault:
        """Answer an error page with status 200, as proxies send it."""
        return cls("not_json", "page", headers={"content-type": content_type}, text=_ERROR_PAGE)

    @classmethod
    def other_json(cls, payload: object) -> Fault:
        """Answer status 200 and good JSON, but not of this protocol."""
        return cls("other_json", "page", headers=_JSON, text=json.dumps(payload))

    @classmethod
    def huge(cls, size: int = _HUGE) -> Fault:
        return cls("huge", "content", size=size)

    @classmethod
    def refusal(cls, language: str | None = None) -> Fault:
        """Answer the provider's refusal field, or with a language the plain words a model refuses with."""
        if language is None:
            return cls("refusal", "refusal", text=_REFUSALS["en"])
        return cls("refusal", "content", text=_REFUSALS[language])

    @classmethod
    def quotes_other(cls, canary: str) -> Fault:
        """Answer rightly, but with someone else's words in it."""
        return cls("quotes_other", "content", text=canary)

    bad_key = staticmethod(lambda: Fault("bad_key", "status", 401))
    unknown_model = staticmethod(lambda: Fault("unknown_model", "status", 404))
    # A stream that ends half-way; a plain answer is cut like `truncated`.
    cut_stream = staticmethod(lambda: Fault("cut_stream", "cut_stream"))
    json_in_prose = staticmethod(lambda: Fault("json_in_prose", "content"))
    wrong_types = staticmethod(lambda: Fault("wrong_types", "content"))
    bare_object = staticmethod(lambda: Fault("bare_object", "content"))
    extra_keys = staticmethod(lambda: Fault("extra_keys", "content"))
    empty = staticmethod(lambda: Fault("empty", "content"))
    # Embeddings: one less than was asked for, the last one half as long, one value not a number.
    fewer_vectors = staticmethod(lambda: Fault("fewer_vectors", "content"))
    other_dimensions = staticmethod(lambda: Fault("other_dimensions", "content"))
    not_numbers = staticmethod(lambda: Fault("not_numbers", "content"))

    def spoil(self, answer: str) -> str:
        """Return what the model says in place of `answer`."""
        match self.name:
            case "json_in_prose":
                inner = _json(summary=answer)
                return f"Sure, here it is {{as JSON}}:\n```json\n{inner}\n```\nTell me if {{anything}} is missing."
            case "wrong_types":
                return _json(summary=42, facts=[1, None, True], confidence={})
            case "bare_object":
                return _json(content=answer, kind="note")
            case "extra_keys":
                return _json(summary=answer, confidence=0.9, thoughts=[])
            case "huge":
                return ("babble " * (self.size // 7 + 1))[: self.size]
            case "refusal":
                return self.text
            case "quotes_other":
                return f"{answer} {self.text}"
            case _:
                return ""

    def error(self) -> tuple[str, str, str]:
        """Type, code and message of an HTTP error; the message quotes a key, as real ones do."""
        if self.name == "too_long":
            return _TOO_LONG[self.text]
        if self.name == "filtered":
            return "invalid_request_error", "content_filter", "The prompt triggered the filter."
        kind, code = _ERROR_CODES.get(self.status, ("api_error", "server_error"))
        if 400 < self.status < 500 and self.status not in _ERROR_CODES:
            kind, code = _ERROR_CODES[400]
        said = f"Scripted {self.name}."
        if self.status == 401:
            said = "Incorrect API key provided: sk-canary-0123456789"
        return kind, code, said


class FaultMix:
    """Faults on a share of the calls, chosen by the seed and the call's number."""

    WEIGHTS: Mapping[str, float] = {
        "timeout": 10,
        "unavailable": 10,
        "bad_json": 5,
        "wrong_schema": 3,
        "empty": 2,
    }

    def __init__(
        self,
        rate: float = 0.3,
        *,
        seed: int = 0,
        weights: Mapping[str, float] | None = None,
        hang_seconds: float = 2.0,
        retry_after: float | None = None,
    ) -> None:
        self._rate, self._seed = rate, seed
        self._weights = dict(weights or self.WEIGHTS)
        limited = Fault.rate_limited(retry_after)
        self._choices: dict[str, list[Fault]] = {
            "timeout": [Fault.hang(hang_seconds)],
            "unavailable": [limited, *map(Fault.server_error, (500, 502, 503, 529))],
            "bad_json": [Fault.truncated(), Fault.truncated(promised=False), Fault.not_json()],
            "wrong_schema": [Fault.wrong_types(), Fault.bare_object()],
            "empty": [Fault.empty()],
        }
        if unknown := sorted(self._weights.keys() - self._choices.keys()):
            there = f"there are {sorted(self._choices)}."
            raise ValueError(f"Unknown fault group {unknown[0]!r}; {there}")

    def choose(self, call: Call) -> Fault | None:
        dice = random.Random(f"{self._seed}:{call.number}")
        if dice.random() >= self._rate:
            return None
        (group,) = dice.choices(list(self._weights), list(self._weights.values()))
        return dice.choice(self._choices[group])
