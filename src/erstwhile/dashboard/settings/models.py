"""Models and keys: the model of each role and where it is set, the space's own, and a test."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.base import setting_list
from erstwhile.base.settings import DEFAULT_MODELS
from erstwhile.configuration.model_check import ModelCheck
from erstwhile.context.recipes import RECIPES
from erstwhile.dashboard import commands, parts
from erstwhile.dashboard.settings import fields
from erstwhile.dashboard.settings.fields import SpaceSetting
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.http import permissions

_PROVIDERS = {
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "google": "Google",
    "openai-compatible": "Ollama or another server",
}
_MODELS = {model.partition(":")[0]: model for model in DEFAULT_MODELS.values()}
_OWN_SERVER = "http://localhost:11434/v1"
_LABELS = {
    "model": ("Model", "provider:name, for example openai:gpt-5-nano"),
    "model_strong": ("Model for demanding steps", "the same as the model"),
    "chat_model": ("Chat model", "the same as the model"),
    "base_url": ("Base URL", "the provider's own"),
    "api_key": ("API key", ""),
}


class ModelsPart(fields.SettingsPart):
    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer)
        self._fields: dict[str, ui.input] = {}
        self._found: dict[str, SpaceSetting] = {}

    async def draw(self) -> None:
        memory = await self._viewer.reading()
        settings = setting_list.list_settings(memory.settings)
        self._found = await self.in_force()
        self._secret = bool(memory.settings.secret_key.get_secret_value())
        self._box.clear()
        first = self._viewer.may_write and self._found["model"].value in ("", "extractive")
        with self._box:
            if first:
                self._form()
            with parts.card("Which model does what"), fields.table("What", "Model", "From", ""):
                for role in fields.ROLES:
                    self._role(role)
                embedder = next(each for each in settings if each.name == "embedder")
                self._row(
                    "embedder", "Search by meaning", "Makes vectors.", str(embedder.value), fields.where(embedder)
                )
                for task, model in ({} if self._found["model"].own else memory.settings.models).items():
                    self._row("", task, "A model for this step alone.", model, "ERSTWHILE_MODELS")
            self._access()
            if self._viewer.may_write and not first:
                self._form()

    def _role(self, role: str) -> None:
        name, label, about = fields.ROLES[role]
        found = self._found[name]
        value, source = (found.value, found.source) if found.value else (self._found["model"].value, "same as Memories")
        self._row(role, label, about, value, source)

    def _row(self, role: str, label: str, about: str, model: str, source: str) -> None:
        with html.tr():
            with fields.cell("What"):
                html.strong(label)
                html.div(about).classes("quiet-text")
            with fields.cell("Model"):
                html.code(model or "none")
                result = html.div().classes("tried").props("role=status")
            with fields.cell("From"):
                html.span(source)
            with fields.cell(""):
                if role and self._viewer.may_write:
                    button = parts.button("Test", lambda: None, name=f"Test: {label}")
                    button.on("click", partial(self._tried, role, button, result), args=[])

    def _access(self) -> None:
        with parts.card("Address and key"), fields.table("What", "Value", "From"):
            for name in ("base_url", "api_key"):
                found = self._found[name]
                with html.tr():
                    with fields.cell("What"):
                        html.strong(_LABELS[name][0])
                    with fields.cell("Value"):
                        missing = "the provider's own" if name == "base_url" else "none of erstwhile's own"
                        html.span(found.value or missing).props("dir=auto").classes("" if found.value else "quiet-text")
                    with fields.cell("From"):
                        html.span(found.source)

    async def _tried(self, role: str, button: Element, result: Element) -> None:
        memory = await self._viewer.writing()
        result.clear()
        with fields.Busy(button, "Asking…"):
            tried = await memory.spaces.try_model(role, space=self._viewer.space)
        if not result.is_deleted:  # else it is about what was before
            with result:
                _outcome(tried)

    # The space's own

    def _form(self) -> None:
        admin = self._viewer.caller.admin
        with parts.card("Connect a model"):
            fields.note(
                "For this space; what is empty is the server's. A key is stored encrypted, is shown to nobody again, and goes only "
                "where this space's models are."
            )
            if not self._secret:
                self._no_secret()
            with html.div().classes("grid"):
                fields.choice("Provider", {"": "choose one", **_PROVIDERS}, "", self._provider)
                for name, (label, hint) in _LABELS.items():
                    if name != "base_url" or admin:
                        self._fields[name] = self._field(name, label, hint)
                recipe = self._found["recipe"]
                fields.choice("Recipe", self._recipes(), recipe.value if recipe.own else "", self._set_recipe)
            if not admin:
                fields.note("The base URL is set with an admin key, because the server then calls that address.")
            with html.div().classes("row"):
                self._save = parts.button("Save and test", self._saved, kind="primary")
                self._result: Element = html.div().classes("tried").props("role=status data-tried")
                html.span().classes("grow")
                own = [name for name in _LABELS if self._found[name].own and (name != "base_url" or admin)]
                if own:
                    parts.button("Use the server's again", partial(self._taken_back, own), kind="danger")

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
        parts.toast("The recipe is used from the next context on.")

    def _typed(self) -> dict[str, str]:
        """What differs from the stored values; an empty key keeps the one that is there."""
        typed = {name: str(field.value or "").strip() for name, field in self._fields.items()}
        was = {name: self._found[name].value if self._found[name].own else "" for name in typed} | {"api_key": ""}
        return {name: value for name, value in typed.items() if value != was[name]}

    def _no_secret(self) -> None:
        """A key can't be stored yet: say so before one is typed."""
        fields.note(
            "To store a key here, the server needs a secret to encrypt it with. Stop it and start it like this; or start it with "
            "the provider's own variable, such as OPENAI_API_KEY. A model on your own machine needs no key.",
            "warn",
        )
        parts.command("ERSTWHILE_SECRET_KEY=$(erstwhile config secret) " + commands.example(self._viewer, "serve"))
        parts.quiet("Keep the secret: without it the stored key can't be read again.")

    def _provider(self, provider: str) -> None:
        """Fill in what is usual for a provider."""
        if provider:
            self._fields["model"].value = _MODELS.get(provider, "openai-compatible:llama3.2")
        if "base_url" in self._fields:
            self._fields["base_url"].value = _OWN_SERVER if provider == "openai-compatible" else ""

    async def _saved(self) -> None:
        memory, space, values = await self._viewer.writing(), self._viewer.space, self._typed()
        if values:
            await permissions.check_configuration(self._viewer.caller, memory, space, values)
            await memory.spaces.configure(space=space, **values)
            await self.done("Saved. It is used from the next job on.")
        await self._tried("light", self._save, self._result)

    async def _taken_back(self, own: Sequence[str]) -> None:
        if not await self.confirm(
            "Use the server's models and key?",
            "Use the server's",
            more="This space's own models and its key are deleted. This can't be undone.",
        ):
            return
        await self.configure(**dict.fromkeys(own, ""))
        await self.done("The server's models are in force again.")

    async def changed(self, _events: Sequence[Event]) -> None:
        """Follow changes by others, but keep what someone is typing and the result of a test."""
        if not self._typed() and await self.in_force() != self._found:
            await self.draw()


def _outcome(tried: ModelCheck) -> None:
    with html.div().classes("row"):
        parts.badge("answers" if tried.ok else "does not answer", "good" if tried.ok else "bad")
        spent = tried.input_tokens + tried.output_tokens
        html.span(f"{tried.ms:,} ms" + (f", {spent:,} tokens" if spent else "")).classes("quiet-text")
    if not tried.ok or tried.role == "embedder":
        html.div(tried.detail).classes("text").props("dir=auto")
