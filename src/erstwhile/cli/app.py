"""All commands: which there are, in which module each is, and the line that `--help` shows for it.

A module is imported when its command runs, so that no command pays for another.
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
import typer.main
from typer.core import TyperGroup


class Entry(NamedTuple):
    """`attribute` of `module` is a function (a command) or a Typer (a group)."""

    module: str
    attribute: str
    help: str


EVERYDAY = {
    "demo": Entry("demo", "demo", "Watch memory form from a long conversation, and ask it."),
    "chat": Entry("everyday", "chat", "Talk with a model that remembers."),
    "serve": Entry("server", "serve", "Serve the memory over HTTP, with the dashboard."),
    "worker": Entry("server", "worker", "Run jobs as they become due."),
    "mcp": Entry("server", "mcp", "Serve the memory as MCP tools on stdin and stdout."),
    "add": Entry("everyday", "add", "Store one message."),
    "import": Entry("archive", "import_file", "Import conversations from a file."),
    "context": Entry("everyday", "context", "Show the context a model gets for a question."),
    "search": Entry("everyday", "search", "Search messages and memories."),
    "about": Entry("everyday", "about", "Show what is known about a person."),
    "remember": Entry("everyday", "remember", "Remember a fact about a person."),
    "forget": Entry("everyday", "forget", "Forget a fact about a person."),
    "settle": Entry("server", "settle", "Run everything that is due now."),
    "report": Entry("requests", "report", "Show how well the memory works."),
    "doctor": Entry("config", "doctor", "Find problems and say what to do."),
    "export": Entry("archive", "export", "Write a space, a person or a channel into a zip."),
    "erase": Entry("archive", "erase", "Erase a person, a channel, an import or a space."),
    "backup": Entry("archive", "backup", "Back up the database, check a backup, restore one."),
}
# One command for each platform; whoever runs a bot knows which one is theirs.
BOTS = {
    "discord": Entry("bots", "discord", "Run the Discord bot."),
    "slack": Entry("bots", "slack", "Run the Slack bot."),
    "telegram": Entry("bots", "telegram", "Run the Telegram bot."),
}
GROUPS = {
    "spaces": Entry("spaces", "spaces", "Spaces: list, settings, rebuild."),
    "channels": Entry("spaces", "channels", "Channels: list, privacy, bots."),
    "people": Entry("people", "people", "People: list, block, share, profiles."),
    "memories": Entry(
        "memories", "memories", "Memories: list, sources, edit, delete, regenerate, review."
    ),
    "notes": Entry("memories", "notes", "Notes of conversations and topics of days."),
    "requests": Entry("requests", "requests", "Requests: explain, feedback, recommendations."),
    "jobs": Entry("server", "jobs", "Jobs: list, retry, park."),
    "prompts": Entry("spaces", "prompts", "Prompts that memories are written with."),
    "keys": Entry("server", "keys", "Keys that may call the server."),
    "archive": Entry("archive", "archive", "Receipts of erasures, origins of messages, retention."),
    "config": Entry("config", "config", "Settings in force, and a new secret."),
    "bench": Entry("bench", "bench", "Measure on published benchmarks, or on your own questions."),
    "coding": Entry("config", "coding", "Coding agents: install the plugin, remove it."),
    "migrate": Entry("config", "migrate", "Update the structure of the database."),
}
ALL = EVERYDAY | BOTS | GROUPS


class _Commands(UserDict[str, Any]):
    """The commands by name; each is made when it is first asked for."""

    def __getitem__(self, name: str) -> Any:
        if isinstance(self.data[name], Entry):
            self.data[name] = _command(name, self.data[name])
        return self.data[name]


def _command(name: str, entry: Entry) -> Any:
    found = getattr(import_module(f"erstwhile.cli.{entry.module}"), entry.attribute)
    if isinstance(found, typer.Typer):
        found.info.help = entry.help
        made: Any = typer.main.get_group(found)
    else:
        from erstwhile.cli.options import CommandGroup

        alone = CommandGroup()
        alone.command(name, short_help=entry.help)(found)
        made = typer.main.get_command(alone)
    made.name = name
    return made


class _Root(TyperGroup):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _Commands(ALL)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        for title, entries in (("Everyday", EVERYDAY), ("Bots", BOTS), ("Groups", GROUPS)):
            with formatter.section(title):
                formatter.write_dl([(f"{name:<8}", entry.help) for name, entry in entries.items()])


app = typer.Typer(
    name="erstwhile",
    cls=_Root,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"erstwhile {version('erstwhile')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Long-term memory for conversations."""
    del version
