"""The parts of `make bench-peers` that run inside a system's own environment, besides latency:
`python -m bench.peers_parts SYSTEM PART FOLDER …`. The last line that it prints is its result, as JSON."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

from bench import sayings
from bench.systems import Erstwhile, Message, System, opened, shut_in

DEPTHS = (5, 10, 20)
BROKEN = range(8, 13)  # of the messages: while these are remembered, the model fails
MESSAGES = 20
_QUOTE = 60  # characters of a message that tell it apart


def recall(given: argparse.Namespace) -> dict[str, Any]:
    """The share of a question's evidence among the first k hits, over raw turns."""
    from erstwhile.benchmarks import data_sets

    conversations = []
    for number, case in enumerate(islice(data_sets.locomo(given.locomo), given.conversations)):
        folder = given.folder / str(number)
        folder.mkdir()
        if given.system == "erstwhile":
            system: System = Erstwhile(str(folder / "memory.db"), "bench", whole=True)
            system.now = case.asked_at  # type: ignore[attr-defined]
        else:
            system = opened(given.system, str(folder))
        ids = system.add(0, [Message(turn.person, turn.text, turn.at) for turn in case.turns])
        system.settle()
        keys = {id: turn.key for id, turn in zip(ids, case.turns, strict=True)}
        shares: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
        for question in case.questions:
            found = [keys[hit.id] for hit in system.search(question.text, DEPTHS[-1])]
            for depth in DEPTHS:
                there = question.evidence & set(found[:depth])
                shares[depth].append(len(there) / len(question.evidence))
        system.close()
        sums = {f"R@{depth}": sum(each) for depth, each in shares.items()}
        conversations.append({"turns": len(ids), "questions": len(case.questions), **sums})
    return {"conversations": conversations}


def talk() -> Iterator[tuple[Message, Message]]:
    """Exchanges of a user and an assistant, the same every time."""
    for number in count():
        chance = random.Random(f"exchange {number}")
        answer = f"{sayings.message(chance)}. {sayings.message(chance)}"
        yield (Message("Mina", sayings.message(chance)), Message("assistant", answer, role="assistant"))


def cost(given: argparse.Namespace) -> dict[str, Any]:
    """Calls and prompt tokens of remembering a conversation with a model, one add an exchange."""
    from bench.peers_model import ScriptedModel
    from erstwhile.text import tokens

    model = ScriptedModel(given.system)
    system = _opened(given, model.server.base_url)
    said = 0
    for exchange in islice(talk(), given.exchanges):
        model.messages = exchange
        system.remember(exchange)
        system.work()
        said += sum(tokens.count(each.text) for each in exchange)
    system.settle()
    system.close()
    return {
        "messages": 2 * given.exchanges,
        "calls": len(model.server.calls),
        "prompt_tokens": model.prompt_tokens(),
        "message_tokens": said,
    }


def fault(given: argparse.Namespace) -> dict[str, Any]:
    """A model that fails for a while: what is found after it has recovered."""
    from bench.peers_model import FAULTS, ScriptedModel

    model = ScriptedModel(given.system)
    system = _opened(given, model.server.base_url)
    failure = FAULTS[given.fault] if given.fault else None
    refused: dict[int, str] = {}
    for number in range(MESSAGES):
        model.fault = failure if number in BROKEN else None
        model.messages = [message(number)]
        try:
            system.remember(model.messages)
            system.work()
        except Exception as error:  # noqa: BLE001 - whatever it raises, the caller knows
            refused[number] = type(error).__name__
    model.fault = None
    system.settle()
    kinds = [_kinds(system.recall(message(number).text), number) for number in range(MESSAGES)]
    system.close()
    return {
        "messages": MESSAGES,
        "broken": len(BROKEN),
        "refused": len(refused),
        "errors": sorted(set(refused.values())),
        "calls": len(model.server.calls),
        "found": sum(map(bool, kinds)),
        "made": sum("memory" in each for each in kinds),
        "silently_lost": sum(not kinds[each] for each in range(MESSAGES) if each not in refused),
    }


def kill(given: argparse.Namespace) -> dict[str, Any]:
    """Look for the messages acknowledged before; then add until killed, a line for each one."""
    base_url = ""
    if given.model:
        from bench.peers_model import ScriptedModel

        model = ScriptedModel(given.system)
        base_url = model.server.base_url
    system = _opened(given, base_url)
    system.settle()
    find = system.recall if given.model else system.search
    found = sum(bool(_kinds(find(message(each).text), each)) for each in range(given.acknowledged))
    print(json.dumps({"found": found}), flush=True)
    for number in count(given.acknowledged) if given.go_on else ():
        if given.model:
            model.messages = [message(number)]
            system.remember(model.messages)
        else:
            system.add(number, [message(number)])
        print(number, flush=True)
    system.close()
    return {"found": found}


def message(number: int) -> Message:
    return Message("Mina", f"{number + 1} {sayings.message(random.Random(f'message {number}'))}")


def _kinds(found: list[Any], number: int) -> set[str]:
    """As what a message is found: as itself, as a memory made of it, or not at all."""
    quote = message(number).text[:_QUOTE]
    return {each.kind for each in found if quote in each.text}


def _opened(given: argparse.Namespace, base_url: str) -> System:
    where = given.folder / "memory.db" if given.system == "erstwhile" else given.folder
    return opened(given.system, str(where), base_url=base_url)


def open_only(given: argparse.Namespace) -> dict[str, Any]:
    _opened(given, "").close()
    return {}


PARTS = {"open": open_only, "recall": recall, "cost": cost, "fault": fault, "kill": kill}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("system")
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--conversations", type=int)
    parser.add_argument("--exchanges", type=int, default=100)
    parser.add_argument("--fault", default="")
    parser.add_argument("--acknowledged", type=int, default=0)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--go-on", action="store_true")
    given = parser.parse_args()
    shut_in()
    result = PARTS[given.part](given)
    sys.stdout.write(f"\n{json.dumps(result)}\n")


if __name__ == "__main__":
    main()
