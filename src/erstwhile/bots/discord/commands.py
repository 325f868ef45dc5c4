"""Slash commands. They are registered only when Discord has others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from operator import itemgetter
from typing import Any

import discord
from discord import app_commands

from erstwhile.base.logs import Log

log = Log(__name__)

# Called with the interaction, the verb, the words after it, and the person it names.
CommandHandler = Callable[[discord.Interaction, str, str, str | None], Awaitable[None]]
_CONTEXTS = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False)
_INSTALLS = app_commands.AppInstallationType(guild=True, user=False)
_Command = app_commands.Command[Any, ..., None]


def tree(client: discord.Client, on_command: CommandHandler) -> app_commands.CommandTree[Any]:
    commands = app_commands.CommandTree(
        client, allowed_contexts=_CONTEXTS, allowed_installs=_INSTALLS
    )
    for command in _personal(on_command):
        commands.add_command(command)
    commands.add_command(_memory(on_command))
    return commands


def _plain(
    on_command: CommandHandler, verb: str, words: str, name: str, description: str
) -> _Command:
    """Return a command without parameters."""

    @app_commands.command(name=name, description=description)
    async def command(interaction: discord.Interaction) -> None:
        await on_command(interaction, verb, words, None)

    return command


def _fact(on_command: CommandHandler, verb: str, description: str, what: str) -> _Command:
    """Return a command with something about someone."""

    @app_commands.command(name=verb, description=description)
    @app_commands.describe(what=what, who="About whom, if not about you.")
    async def command(
        interaction: discord.Interaction, what: str, who: discord.User | None = None
    ) -> None:
        await on_command(interaction, verb, what, str(who.id) if who else None)

    return command


def _personal(on_command: CommandHandler) -> list[_Command]:
    @app_commands.command(
        name="about",
        description="Show what is known about someone, from channels that you can read.",
    )
    @app_commands.describe(who="About whom.")
    async def about(interaction: discord.Interaction, who: discord.User) -> None:
        await on_command(interaction, "about", "", str(who.id))

    @app_commands.command(
        name="forget-me", description="Erase your messages and everything made from them."
    )
    @app_commands.describe(confirm="Write yes to confirm. Without it, shows what would be erased.")
    async def forget_me(interaction: discord.Interaction, confirm: str = "") -> None:
        await on_command(interaction, "forget-me", confirm, None)

    @app_commands.command(
        name="privacy", description="Show what is kept, who can see it, and your choices."
    )
    @app_commands.describe(choice="stop: keep nothing you say from now on. start: keep it again.")
    @app_commands.choices(
        choice=[app_commands.Choice(name=each, value=each) for each in ("stop", "start")]
    )
    async def privacy(interaction: discord.Interaction, choice: str = "") -> None:
        await on_command(interaction, "privacy", choice, None)

    known = "what-do-you-know"
    fact = partial(_fact, on_command)
    return [
        fact("remember", "Remember something.", "What to remember, in your own words."),
        fact("forget", "Forget something that you asked to remember.", "What to forget."),
        about,
        _plain(on_command, known, "", known, "Show everything that is known about you."),
        forget_me,
        privacy,
    ]


def _memory(on_command: CommandHandler) -> app_commands.Group:
    group = app_commands.Group(
        name="memory",
        description="The memory of this channel.",
        allowed_contexts=_CONTEXTS,
        allowed_installs=_INSTALLS,
    )

    @app_commands.command(
        name="on", description="Listen in this channel. Only for those who manage it."
    )
    @app_commands.describe(past="Also store earlier messages.")
    async def on(interaction: discord.Interaction, past: bool = False) -> None:
        await on_command(interaction, "memory", "on past" if past else "on", None)

    plain = partial(_plain, on_command, "memory")
    for command in (
        plain("explain", "explain", "Show where the last answer here came from."),
        on,
        plain("off", "off", "Stop listening in this channel. Only for those who manage it."),
        plain("status", "status", "Show whether the bot listens here, and since when."),
    ):
        group.add_command(command)
    return group


async def register(commands: app_commands.CommandTree[Any]) -> None:
    client = commands.client
    assert client.application_id is not None
    wanted = [each.to_dict(commands) for each in commands.get_commands()]
    there: list[Any] = list(await client.http.get_global_commands(client.application_id))
    by_name = itemgetter("name")
    if not _matches(sorted(wanted, key=by_name), sorted(there, key=by_name)):
        await commands.sync()
        log.info("discord.commands_registered", count=len(wanted))


def _matches(wanted: Any, there: Any) -> bool:
    """Compare commands. Discord adds fields of its own and leaves out empty ones."""
    if isinstance(wanted, dict):
        there = there if isinstance(there, dict) else {}
        return all(_matches(value, there.get(name)) for name, value in wanted.items())
    if isinstance(wanted, list | tuple):
        there = there or []
        return len(wanted) == len(there) and all(map(_matches, wanted, there))
    return wanted == there or (not wanted and not there)
