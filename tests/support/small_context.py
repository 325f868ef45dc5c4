"""A model that reads little at once, and says so in the words of its server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from erstwhile.testing import Call, Fault, ModelServer, Reply
from erstwhile.testing.answers import complete
from erstwhile.text import tokens

Answer = Callable[[Call], str | Reply | Fault]


class SmallContext(ModelServer):
    """Refuses requests of more than `limit` tokens. vLLM and TGI count those of the answer, too."""

    def __init__(self, limit: int, server: str = "llama.cpp", answer: Answer = complete) -> None:
        super().__init__(self._decided)
        self.limit, self.server, self.sensible = limit, server, answer

    def _decided(self, call: Call) -> Any:
        size = tokens.count(call.system) + tokens.count(call.user)
        if self.server in ("vllm", "tgi"):
            size += int(call.body.get("max_tokens") or call.body.get("max_completion_tokens") or 0)
        return Fault.too_long(self.server) if size > self.limit else self.sensible(call)

    @property
    def refused(self) -> list[Call]:
        return [call for call in self.calls if call.status >= 400]

    @property
    def answered(self) -> list[Call]:
        return [call for call in self.calls if call.status == 200]
