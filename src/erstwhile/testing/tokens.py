"""Token counts and a prefix cache, near enough to a provider's for tests."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass

from erstwhile.testing.calls import Call, Reply

_CACHE_FROM = 1024
_CACHE_STEP = 128
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Tokens:
    input: int
    output: int
    cached: int

    @property
    def total(self) -> int:
        return self.input + self.output


def estimate(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


class PrefixCache:
    """Remembers the last prompts of each cache key; what a new prompt shares with one of them
    counts as cached."""

    def __init__(self) -> None:
        self._seen: defaultdict[str, deque[str]] = defaultdict(lambda: deque(maxlen=16))

    def count(self, call: Call, reply: Reply) -> Tokens:
        prompt = call.prompt
        given = estimate(prompt) if reply.input_tokens is None else reply.input_tokens
        cached = self._hit(call, prompt) if reply.cached_tokens is None else reply.cached_tokens
        written = estimate(reply.text or reply.refusal) if reply.output_tokens is None else reply.output_tokens
        return Tokens(input=given, output=written, cached=min(cached, given))

    def _hit(self, call: Call, prompt: str) -> int:
        if call.path == "/messages" and "cache_control" not in str(call.body):
            return 0  # Anthropic caches only what a request marks
        seen = self._seen[f"{call.model}|{call.body.get('prompt_cache_key', '')}"]
        shared = max((_shared(prompt, earlier) for earlier in seen), default=0)
        seen.append(prompt)
        tokens = shared // _CHARACTERS_PER_TOKEN
        return tokens // _CACHE_STEP * _CACHE_STEP if tokens >= _CACHE_FROM else 0


def _shared(one: str, other: str) -> int:
    """How many characters two prompts have in common from the start, by halving: prompts are
    long."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
