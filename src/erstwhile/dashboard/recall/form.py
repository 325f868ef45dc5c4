"""The question of the Recall lab: its parameters and its form."""

from __future__ import annotations

from nicegui import html

from erstwhile.api.memory import Memory
from erstwhile.context.recipes import RECIPES
from erstwhile.dashboard import parts
from erstwhile.dashboard.recall.snippets import ContextQuery
from erstwhile.dashboard.viewer import Viewer

_OFFERED = 200  # channels and people; any other can be typed
_SCOPES = (("", "Automatic"), ("channel", "Here alone"), ("person", "Theirs elsewhere too"))


def asked(viewer: Viewer) -> ContextQuery:
    """Read the parameters from the address."""
    return ContextQuery(
        space=viewer.space,
        channel=viewer.asked("channel"),
        query=viewer.asked("query"),
        person=viewer.asked("person"),
        recipe=viewer.asked("recipe"),
        budget=viewer.number("budget", 0) if viewer.asked("budget") else None,
        scope=viewer.asked("scope"),
    )


def address(viewer: Viewer, wanted: ContextQuery) -> str:
    """The address of the lab with this question."""
    given = {**wanted.options, "query": wanted.query or None}
    return viewer.url("/recall", channel=wanted.channel, **given)


async def form(viewer: Viewer, memory: Memory, wanted: ContextQuery) -> None:
    channels = sorted(
        await memory.channels.list(space=viewer.space), key=lambda each: each.last_at.timestamp() if each.last_at else 0
    )[-_OFFERED:]
    people = await memory.people.list(space=viewer.space, limit=_OFFERED)
    chosen = {each.name: each.value for each in await memory.spaces.configuration(space=viewer.space)}
    with parts.form(viewer, "/recall", "card lab-form") as made:
        made.props("data-lab")
        with parts.field("Question", "wide"):
            area = html.textarea(name="query", rows="2", value=wanted.query).props("dir=auto")
            area.props["placeholder"] = "What would someone ask? Empty: what is worth knowing anyway."
        with parts.field("Conversation"):
            box = html.input_(name="channel", value=wanted.channel, list="lab-channels", autocomplete="off")
            box.props["required"] = True
            box.props["placeholder"] = "Choose or type"
        with parts.field("Who asks"):
            html.input_(name="person", value=wanted.person, list="lab-people", autocomplete="off", placeholder="Nobody")
        with parts.field("Recipe"):
            usual = chosen.get("recipe") or memory.settings.recipe
            parts.select("recipe", [("", f"Usual: {usual}"), *((each, each) for each in RECIPES)], wanted.recipe)
        with parts.field("Budget in tokens"):
            budget = html.input_(name="budget", type="number", min="100", max="1000000", step="1")
            budget.props["value"] = "" if wanted.budget is None else str(wanted.budget)
            budget.props["placeholder"] = str(memory.settings.budget)
        with parts.field("Where to look"):
            parts.select("scope", _SCOPES, wanted.scope)
        with html.div().classes("lab-ask"):
            html.button("Ask", type="submit").classes("button primary")
        parts.suggestions("lab-channels", [(each.channel, f"{each.size:,} messages") for each in reversed(channels)])
        parts.suggestions("lab-people", [(each.person, each.name) for each in people])
