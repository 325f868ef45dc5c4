"""One scripted model for every system: it writes one fact for each message, in the form that the
system asks for, and fails when it is told to."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.systems import Message
from erstwhile.testing import Call, Fault, ModelServer, Reply, ToolCall
from erstwhile.testing.answers import complete
from erstwhile.text import tokens

_QUOTED = 200  # characters of a message in its fact, as in erstwhile.testing
FAULTS: dict[str, Fault | str] = {
    "answers 500": Fault.server_error(500),
    "drops the connection after 0.5 s": Fault.hang(0.5),
    "answers broken JSON": '{"memory": [{"id": "0", "text": "cut off he',
}


class ScriptedModel:
    """An OpenAI-compatible server on loopback. `messages` are those being remembered."""

    def __init__(self, system: str) -> None:
        self._write = _WRITERS[system.partition("-")[0]]
        self.messages: Sequence[Message] = ()
        self.fault: Fault | str | None = None
        self.server = ModelServer(self._answer).start()

    def _answer(self, call: Call) -> str | Reply | Fault:
        return self.fault if self.fault is not None else self._write(call, self.messages)

    def prompt_tokens(self) -> int:
        """Everything that was sent to be read: messages, and the schemas of answers and tools."""
        sent = 0
        for call in self.server.calls:
            schemas = [call.body[name] for name in ("tools", "response_format") if name in call.body]
            sent += tokens.count(call.prompt) + sum(tokens.count(json.dumps(each)) for each in schemas)
        return sent


def _fact(message: Message) -> str:
    return f"{message.person} said: {message.text[:_QUOTED]}"


def _erstwhile(call: Call, _messages: Sequence[Message]) -> str:
    return complete(call)


def _mem0(_call: Call, messages: Sequence[Message]) -> str:
    facts = [{"id": str(place), "text": _fact(each), "attributed_to": each.role} for place, each in enumerate(messages)]
    return json.dumps({"memory": facts})


def _langgraph(call: Call, messages: Sequence[Message]) -> Reply:
    calls = (
        ToolCall("Memory", json.dumps({"content": _fact(each)}), f"call_{call.number}_{place}")
        for place, each in enumerate(messages)
    )
    return Reply(tools=tuple(calls))


def _graphiti(call: Call, messages: Sequence[Message]) -> str:
    """Two entities, the speaker and the longest word, and a fact that joins them."""
    pairs = [(each, max(each.text.split(), key=len)) for each in messages]
    names = list(dict.fromkeys(name for each, word in pairs for name in (each.person, word)))
    edges = [
        {"source_entity_name": each.person, "target_entity_name": word, "relation_type": "SAID", "fact": _fact(each)}
        for each, word in pairs
    ]
    same = [{"id": at, "name": name, "duplicate_candidate_id": -1} for at, name in enumerate(names)]
    answers: dict[str, object] = {
        "ExtractedEntities": {"extracted_entities": [{"name": name, "entity_type_id": 0} for name in names]},
        "NodeResolutions": {"entity_resolutions": same},
        "ExtractedEdges": {"edges": edges},
        "EdgeDuplicate": {"duplicate_facts": [], "contradicted_facts": []},
        "EdgeTimestamps": {"valid_at": None, "invalid_at": None},
        "SummarizedEntities": {"summaries": []},
    }
    return json.dumps(answers[call.body["response_format"]["json_schema"]["name"]])


_WRITERS = {"erstwhile": _erstwhile, "mem0": _mem0, "langgraph": _langgraph, "graphiti": _graphiti}
