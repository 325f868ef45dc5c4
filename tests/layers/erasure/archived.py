"""A space with something of everything, and what an archive holds of it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile.testing import FixedClock


async def lived_in(memory: erstwhile.Memory, clock: FixedClock, space: str = "default") -> None:
    """Two people in the square, one of them with a secret elsewhere; edits, deletions, choices, an erasure, and work still to do."""
    square = memory.channel("square", space)
    for number in range(14):
        await square.add(
            "user",
            f"I live in Busan, house {number}.",
            person="alice",
            name="Alice",
            key=f"a{number}",
            meta={"n": number},
        )
        await square.add("user", f"I bake loaf {number} of rye.", person="bob", name="Bob")
    await square.add("user", "I am only passing through.", person="eve", key="e1")
    await memory.channel("den", space).add("user", "Alice owes me a lamp.", person="bob")
    await memory.channels.set_privacy(memory.channel("den", space), "private", people=["bob"])
    await memory.remember("alice", "likes tea", by="alice", space=space)
    await memory.remember("alice", "hides a lamp", by="bob", channel="den", space=space)
    await memory.people.add_to_profile("alice", "skills", "Plays the cello.", by="alice", space=space)
    clock.advance(hours=26)
    await memory.settle()
    facts = await memory.facts.list(square)
    await memory.memories.edit(facts[0].id, "Alice lives in Busan, by hand.", by="bob", space=space)
    await memory.memories.delete(facts[1].id, by="bob", space=space)
    await memory.prompts.set("summarise", "In one sentence.", space=space)
    await memory.prompts.set("extract", "Only what lasts.", space=space, person="alice")
    await memory.spaces.configure(space=space, retention="message=400", privacy="strict", recipe="full")
    await memory.people.share("alice", space=space)
    await memory.erase(person="eve", space=space)
    await memory.settle()
    for number in range(11):  # a chunk that waits to be written
        await square.add("user", f"Later I said {number}.", person="alice", key=f"b{number}")


def contents(path: Path) -> dict[str, Any]:
    """Every file of an export, its lines in an order of their own; times of export and the order of memories left aside."""
    read: dict[str, Any] = {}
    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            text = packed.read(name).decode()
            if name.endswith(".jsonl"):
                read[name] = sorted(
                    (json.loads(line) for line in text.splitlines()), key=lambda row: json.dumps(row, sort_keys=True)
                )
            elif name != "manifest.json":
                read[name] = text if name.endswith(".html") else json.loads(text)
    return read
