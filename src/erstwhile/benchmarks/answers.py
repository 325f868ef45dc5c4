"""Answer questions with the chat model, and have it judge the answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from erstwhile.base.errors import InvalidInput
from erstwhile.benchmarks.model import BenchmarkCase, BenchmarkQuestion
from erstwhile.writers import prompt

if TYPE_CHECKING:
    from erstwhile import Channel, Memory

_BUDGET = 4000
_INCORRECT = re.compile(r"\b(incorrect|not correct|wrong)\b", re.IGNORECASE)
_CORRECT = re.compile(r"\bcorrect\b", re.IGNORECASE)


def require_model(memory: Memory) -> None:
    if not memory.settings.chat_model and memory.settings.chosen_model == "extractive":
        raise InvalidInput(
            "Answering needs a model. Set ERSTWHILE_MODEL or ERSTWHILE_CHAT_MODEL, or leave --answer out."
        )


async def judge(memory: Memory, space: str, case: BenchmarkCase, question: BenchmarkQuestion) -> str:
    """Return correct, incorrect, or failed if there was no usable reply. Question and answer go
    into a separate space, so that no later question finds them."""
    chat = memory.channel(case.channel, space=space)
    context = await chat.context(question.text, person=case.person, budget=_BUDGET, recipe="full")
    today = f"Today is {case.asked_at:%A, %d %B %Y}."
    answer = await _reply(
        memory.channel(f"{case.name}/{question.key}/answer", space=f"{space}-answers"),
        question.text,
        f"{prompt.load(__package__, 'answer').instructions}\n\n{today}",
        context.text,
    )
    if answer is None:
        return "failed"
    grade = await _reply(
        memory.channel(f"{case.name}/{question.key}/verdict", space=f"{space}-answers"),
        _to_grade(question, answer),
        prompt.load(__package__, "judge").instructions,
    )
    return read_grade(grade or "")


def read_grade(reply: str) -> str:
    if _INCORRECT.search(reply):
        return "incorrect"
    return "correct" if _CORRECT.search(reply) else "failed"


async def _reply(chat: Channel, text: str, system: str, sources: str = "") -> str | None:
    """Return the reply, or None if the model failed: `ask` then marks the stored reply."""
    pieces = [piece async for piece in chat.ask(text, system=system, sources=sources, recipe="brief")]
    stored = [message async for message in chat.messages()]
    return None if "error" in stored[-1].meta.get("debug", {}) else "".join(pieces).strip()


def _to_grade(question: BenchmarkQuestion, answer: str) -> str:
    parts = {"question": question.text, "correct_answer": question.answer, "answer": answer}
    return "\n".join(f"<{name}>\n{_escape(text)}\n</{name}>" for name, text in parts.items())


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
