"""An imported conversation is shown by its title, in lists and in contexts of other conversations."""

from __future__ import annotations

import json
from pathlib import Path

import erstwhile
from erstwhile.importers import load


def _node(id: str, parent: str | None, role: str, text: str) -> dict[str, object]:
    said = {
        "id": id,
        "author": {"role": role},
        "create_time": 1.7e9,
        "content": {"content_type": "text", "parts": [text]},
    }
    return {"id": id, "message": said, "parent": parent, "children": []}


async def test_a_chatgpt_conversation_has_its_title(memory: erstwhile.Memory, tmp_path: Path) -> None:
    nodes = [
        _node("a", None, "user", "My bicycle Rocinante has a broken spoke."),
        _node("b", "a", "assistant", "You can replace it."),
    ]
    talk = {
        "title": "Bicycle repair",
        "conversation_id": "6a1f",
        "current_node": "b",
        "mapping": {str(each["id"]): each for each in nodes},
    }
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([talk]), "utf-8")
    await load(memory, file)
    [shown] = await memory.channels.list()
    assert shown.title == "Bicycle repair"
    await memory.channels.set_privacy(memory.channel(shown.channel), "open", title="Rocinante")
    await load(memory, file)
    assert (await memory.channels.list())[0].title == "Rocinante", "a title that somebody gave stays"
