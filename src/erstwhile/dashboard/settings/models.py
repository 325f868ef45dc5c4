"""Models and keys: the model of each role and where it is set, the space's own, and a test."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.base import setting_list
from erstwhile.base.settings import DEFAULT_MODELS
from erstwhile.context.recipes import RECIPES
from erstwhile.dashboard import commands, dialogs, parts
from erstwhile.dashboard.settings import fields
from erstwhile.dashboard.settings.fields import SpaceSetting
from erstwhile.dashboard.viewer import Viewer

_PROVIDERS = {
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "google": "Google",
    "openai-compatible": "Ollama or another server",
}
_MODELS = {model.partition(":")[0]: model for model in DEFAULT_MODELS.values()}
Row = Sequence[parts.Cell]
_OWN_SERVER = "http://localhost:11434/v1"
_LABELS = {
    "model": ("Model", "provider:name, for example openai:gpt-5-nano"),
    "model_strong": ("Model for demanding steps", "the same as the model"),
    "chat_model": ("Chat model", "the same as the model"),
    "base_url": ("Base URL", "the provider's own"),
    "api_key": ("API key", ""),
}

_FLOORS = {
    "": "show all lines if one bears on the question",
    "0": "leave nothing out",
    **{each: f"leave out lines below {each}" for each in ("0.02", "0.05", "0.1", "0.3")},
}


class ModelsPart(fields.SettingsPart):
    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer)
        self._fields: dict[str, ui.input] = {}
        self._found: dict[str, SpaceSetting] = {}

    async def draw(self) -> None:
        memory = await self._viewer.reading()
        self._found = await self.in_force()
        self._secret = bool(memory.settings.secret_key.get_secret_value())
        listed = setting_list.list_settings(memory.settings)
        embedder = next(each for each in listed if each.name == "embedder")
        tasks = {} if self._found["model"].own else memory.settings.models
        first = self._viewer.may_write and self._found["model"].value in ("", "extractive")
        rows = [self._role(role) for role in fields.ROLES]
        where = fields.where(embedder)
        texts = "Search by meaning", "Makes vectors.", str(embedder.value)
        rows.append(self._row("embedder", *texts, where))
        rows += [
            self._row("", task, "A model for this step alone.", model, "ERSTWHILE_MODELS")
            for task, model in tasks.items()
        ]
        with parts.redrawn(self._box):
            if first:
                self._form()
            with parts.card("Which model does what"):
                fields.table(("What", "Model", "From", ""), rows)
            with parts.card("Address and key"):
                access = [self._access(name) for name in ("base_url", "api_key")]
                fields.table(("What", "Value", "From"), access)
            if self._viewer.may_write and not first:
                self._form()

    def _role(self, role: str) -> Row:
        name, label, about = fields.ROLES[role]
        found = self._found[name]
        value, source = found.value, found.source
        if not value:
            value, source = self._found["model"].value, "same as Memories"
        return self._row(role, label, about, value, source)

    def _row(self, role: str, label: str, about: str, model: str, source: str) -> Row:
        results: list[Element] = []

        def what() -> None:
            html.strong(label)
            html.div(about).classes("quiet-text")

        def named() -> None:
            html.code(model or "none")
            results.append(html.div().classes("tried").props("role=status"))

        def test() -> None:
            if role and self._viewer.may_write:
                work = partial(self._tried, role, results)
                parts.button("Test", work, name=f"Test: {label}", busy="Asking…")

        return what, named, source, test

    def _access(self, name: str) -> Row:
        found = self._found[name]
        missing = "the provider's own" if name == "base_url" else "none of erstwhile's own"
        shown = partial(parts.said, found.value or missing, "" if found.value else "quiet-text")
        return partial(html.strong, _LABELS[name][0]), shown, found.source

    async def _tried(self, role: str, results: Sequence[Element]) -> None:
        """Ask the model of a role, and show the outcome in the last of the results."""
        memory, result = await self._viewer.writing(), results[-1]
        result.clear()
        tried = await memory.spaces.try_model(role)
        if result.is_deleted:  # it is about what was before
            return
        with result:
            with html.div().classes("row"):
                outcome = ("answers", "good") if tried.ok else ("does not answer", "bad")
                parts.badge(*outcome)
                spent = tried.input_tokens + tried.output_tokens
                took = f"{tried.ms:,} ms" + (f", {spent:,} tokens" if spent else "")
                html.span(took).classes("quiet-text")
            if not tried.ok or tried.role == "embedder":
                parts.text(tried.detail)

    def _form(self) -> None:
        admin = self._viewer.caller.admin
        with parts.card("Connect a model"):
            fields.note(
                "For this space; what is empty is the server's. A key is stored encrypted, is shown to nobody again, "
                "and goes only where this space's models are."
            )
            if not self._secret:
                fields.note(
                    "To store a key here, the server needs a secret to encrypt it with. Make one, once, and start the server "
                    "with it; or start it with the provider's own variable, such as OPENAI_API_KEY. A model on your own machine "
                    "needs no key.",
                    "warn",
                )
                parts.command("(umask 077; erstwhile config secret > erstwhile.secret)")
                serve = commands.example(self._viewer, "serve")
                parts.command(f"ERSTWHILE_SECRET_KEY=$(cat erstwhile.secret) {serve}")
                parts.quiet("Keep the file: without the secret the stored key can't be read again.")
            with html.div().classes("grid"):
                fields.choice("Provider", {"": "choose one", **_PROVIDERS}, "", self._provider)
                for name, (label, hint) in _LABELS.items():
                    if name != "base_url" or admin:
                        self._fields[name] = self._field(name, label, hint)
                recipe = self._found["recipe"]
                chosen = recipe.value if recipe.own else ""
                fields.choice("Recipe", self._recipes(), chosen, self._set_recipe)
                floor = self._found["floor"].value
                fields.choice(
                    "Floor", _FLOORS | {floor: _FLOORS.get(floor, floor)}, floor, self._set_floor
                )
            if not admin:
                fields.note(
                    "The base URL is set with an admin key, because the server then calls that address."
                )
            with html.div().classes("row"):
                self._save = parts.button("Save and test", self._saved, kind="primary")
                self._result = parts.tag("div", "tried", role="status", data_tried=True)
                html.span().classes("grow")
                names = [name for name in _LABELS if name != "base_url" or admin]
                own = [name for name in names if self._found[name].own]
                if own:
                    back = partial(self._taken_back, own)
                    parts.button("Use the server's again", back, kind="danger")

    def _field(self, name: str, label: str, hint: str) -> ui.input:
        found = self._found[name]
        if name == "api_key":
            return fields.line(label, hint=found.value if found.own else "paste a key", secret=True)
        return fields.line(label, found.value if found.own else "", hint=found.value or hint)

    def _recipes(self) -> dict[str, str]:
        found = self._found["recipe"]
        server = "the server's" if found.own else f"the server's: {found.value}"
        return {"": server} | {each: each for each in RECIPES}

    async def _set_recipe(self, recipe: str) -> None:
        await self.configure(recipe=recipe)
        dialogs.toast("The recipe is used from the next context on.")

    async def _set_floor(self, floor: str) -> None:
        await self.configure(floor=floor)
        dialogs.toast("The floor is used from the next context on.")

    def _typed(self) -> dict[str, str]:
        """Return what differs from the stored values; an empty key keeps the one that is there."""
        typed = {name: str(field.value or "").strip() for name, field in self._fields.items()}
        own = {name: each.value for name, each in self._found.items() if each.own}
        own["api_key"] = ""
        return {name: value for name, value in typed.items() if value != own.get(name, "")}

    def _provider(self, provider: str) -> None:
        if provider:
            self._fields["model"].value = _MODELS.get(provider, "openai-compatible:llama3.2")
        if "base_url" in self._fields:
            self._fields["base_url"].value = _OWN_SERVER if provider == "openai-compatible" else ""

    async def _saved(self) -> None:
        if values := self._typed():
            await self.configure(**values)
            await self.done("Saved. It is used from the next job on.")
        with parts.busy_button(self._save, "Asking…"):
            await self._tried("light", [self._result])

    async def _taken_back(self, own: Sequence[str]) -> None:
        more = "This space's own models and its key are deleted. This can't be undone."
        if not await self.confirm("Use the server's models and key?", "Use the server's", more):
            return
        await self.configure(**dict.fromkeys(own, ""))
        await self.done("The server's models are in force again.")

    async def changed(self) -> None:
        """Follow changes by others, but keep what someone is typing and the result of a test."""
        if not self._typed() and await self.in_force() != self._found:
            await self.draw()
