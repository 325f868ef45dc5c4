"""Answering with the chat model on a context, and the model's own verdict on the answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from erstwhile.base.errors import InvalidInput
from erstwhile.benchmarks.model import Case, Question
from erstwhile.writers import prompt

if TYPE_CHECKING:
    from erstwhile import Channel, Memory

_BUDGET = 4000
_INCORRECT = re.compile(r"\b(incorrect|not correct|wrong)\b", re.IGNORECASE)
_CORRECT = re.compile(r"\bcorrect\b", re.IGNORECASE)


def needs_a_model(memory: Memory) -> None:
    if not memory.settings.chat_model and memory.settings.chosen_model == "extractive":
        raise InvalidInput(
            "Answering needs a model. Set ERSTWHILE_MODEL or ERSTWHILE_CHAT_MODEL, or leave --answer out."
        )


async def verdict(memory: Memory, space: str, case: Case, question: Question) -> str:
    """correct, incorrect, or failed when the model gave no usable reply. Question and answer go into a space of their own, so that no
    later question can find them."""
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
    return graded(grade or "")


def graded(reply: str) -> str:
    if _INCORRECT.search(reply):
        return "incorrect"
    return "correct" if _CORRECT.search(reply) else "failed"


async def _reply(chat: Channel, text: str, system: str, sources: str = "") -> str | None:
    """None when the model failed: `ask` then gives an error for a reply, and marks it in the log."""
    pieces = [piece async for piece in chat.ask(text, system=system, sources=sources, recipe="brief")]
    stored = [message async for message in chat.messages()]
    return None if "error" in stored[-1].meta.get("debug", {}) else "".join(pieces).strip()


def _to_grade(question: Question, answer: str) -> str:
    parts = {"question": question.text, "correct_answer": question.answer, "answer": answer}
    return "\n".join(f"<{name}>\n{_escape(text)}\n</{name}>" for name, text in parts.items())


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
