"""What told, today and history come to. Plain functions, tested without a model."""

from __future__ import annotations

from erstwhile.layers.days import week
from erstwhile.layers.days.model import Portrait
from erstwhile.writers import xml
from erstwhile.writers.port import Writer, WriterQuestion
from erstwhile.writers.prompt import load

_ROOM = 512  # output tokens beyond the usual: facts are kept, however many there are


def hash_of(portrait: Portrait) -> str:
    return week.digest((portrait.told, portrait.today, portrait.history))


def ask(portrait: Portrait) -> WriterQuestion[str]:
    async def draft(writer: Writer) -> str:
        del writer  # nothing is reworded: what there is stands side by side
        return side_by_side(portrait)

    return WriterQuestion(
        prompt=load(__package__, "portray"),
        text=material(portrait),
        read=lambda answer: week.text_of(answer, "portrait"),
        draft=draft,
        schema=week.one_text("portrait"),
        room=_ROOM,
    )


def material(portrait: Portrait) -> str:
    return "\n".join(
        [
            f'<person name="{xml.escape(" ".join(portrait.name.split()))}">',
            f"<facts>{xml.escape(portrait.told)}</facts>",
            f"<today>{xml.escape(portrait.today)}</today>",
            f"<history>{xml.escape(portrait.history)}</history>",
            "</person>",
        ]
    )


def side_by_side(portrait: Portrait) -> str:
    """What exists, in the order facts, today, history: also what there is when the model fails. One of them alone needs no introduction."""
    if len(portrait.known) == 1:
        return portrait.known[0]
    introduced = (("", portrait.told), ("Today: ", portrait.today), ("In the days before: ", portrait.history))
    return "\n\n".join(f"{before}{text}" for before, text in introduced if text)
