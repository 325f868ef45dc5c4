"""The demo conversation: five friends and an assistant, ten months, English with Korean and
Chinese."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from erstwhile.base.records import dataclass


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """`evidence`: the messages that hold the answer, as channel/key."""

    question: str
    language: str
    person: str
    channel: str
    answer: str
    evidence: Sequence[str]


def conversation() -> dict[str, list[dict[str, Any]]]:
    """Return the messages of each channel, in order."""
    channels: dict[str, list[dict[str, Any]]] = {}
    for line in (
        files(__package__).joinpath("conversation.jsonl").read_text(encoding="utf-8").splitlines()
    ):
        message = json.loads(line)
        channels.setdefault(message.pop("channel"), []).append(message)
    return channels


def questions() -> list[DemoQuestion]:
    asked = json.loads(files(__package__).joinpath("questions.json").read_text(encoding="utf-8"))
    return [DemoQuestion(**each) for each in asked]
