"""Two chats of LlamaIndex with memory. Started by test_real_llamaindex.py; the database is its argument."""

from __future__ import annotations

import asyncio
import json
import sys

from erstwhile_llamaindex import ErstwhileMemory
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM

import erstwhile

# MockLLM answers with the prompt that it was given.
with erstwhile.open_sync(sys.argv[1]) as opened:
    monday = ErstwhileMemory(opened, "monday", person="alice")
    SimpleChatEngine.from_defaults(llm=MockLLM(max_tokens=5), memory=monday).chat("I moved to Busan.")
    friday = ErstwhileMemory.from_defaults(memory=opened, channel="friday", person="alice", recent=2)
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=friday)
    prompt = str(asyncio.run(engine.achat("Where do I live now?")))

    stored = monday.get_all()
    monday.set(stored)  # the same: nothing is stored again
    size = opened.channel("monday").size()
    monday.set([*stored, ChatMessage(role="user", content="And my cat is called Mochi.")])
    after = [str(each.content) for each in monday.get_all()]
    monday.reset()
    json.dump(
        {
            "prompt": prompt,
            "stored": [each.role.value for each in stored],
            "size": size,
            "after": after,
            "reset": [str(each.content) for each in monday.get_all()],
            "found": [hit.text for hit in opened.search("Mochi")],
        },
        sys.stdout,
    )
