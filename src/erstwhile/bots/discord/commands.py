"""Slash commands. They are registered only when Discord has others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import discord
from discord import app_commands

from erstwhile.base.logs import Log

log = Log(__name__)

# Called with the interaction, the verb, the words after it, and the person it names.
CommandHandler = Callable[[discord.Interaction, str, str, str | None], Awaitable[None]]
_CONTEXTS = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False)
_INSTALLS = app_commands.AppInstallationType(guild=True, user=False)


def tree(client: discord.Client, on_command: CommandHandler) -> app_commands.CommandTree[Any]:
    commands = app_commands.CommandTree(client, allowed_contexts=_CONTEXTS, allowed_installs=_INSTALLS)
    for command in _personal(on_command):
        commands.add_command(command)
    commands.add_command(_memory(on_command))
    return commands


def _personal(on_command: CommandHandler) -> list[app_commands.Command[Any, ..., None]]:
    @app_commands.command(name="remember", description="Remember something.")
    @app_commands.describe(what="What to remember, in your own words.", who="About whom, if not about you.")
    async def remember(interaction: discord.Interaction, what: str, who: discord.User | None = None) -> None:
        await on_command(interaction, "remember", what, str(who.id) if who else None)

    @app_commands.command(name="forget", description="Forget something that you asked to remember.")
    @app_commands.describe(what="What to forget.", who="About whom, if not about you.")
    async def forget(interaction: discord.Interaction, what: str, who: discord.User | None = None) -> None:
        await on_command(interaction, "forget", what, str(who.id) if who else None)

    @app_commands.command(
        name="about", description="Show what is known about someone, from channels that you can read."
    )
    @app_commands.describe(who="About whom.")
    async def about(interaction: discord.Interaction, who: discord.User) -> None:
        await on_command(interaction, "about", "", str(who.id))

    @app_commands.command(name="what-do-you-know", description="Show everything that is known about you.")
    async def what_do_you_know(interaction: discord.Interaction) -> None:
        await on_command(interaction, "what-do-you-know", "", None)

    @app_commands.command(name="forget-me", description="Erase your messages and everything made from them.")
    @app_commands.describe(confirm="Write yes to confirm. Without it, shows what would be erased.")
    async def forget_me(interaction: discord.Interaction, confirm: str = "") -> None:
        await on_command(interaction, "forget-me", confirm, None)

    @app_commands.command(name="privacy", description="Show what is kept, who can see it, and your choices.")
    @app_commands.describe(choice="stop: keep nothing you say from now on. start: keep it again.")
    @app_commands.choices(choice=[app_commands.Choice(name=each, value=each) for each in ("stop", "start")])
    async def privacy(interaction: discord.Interaction, choice: str = "") -> None:
        await on_command(interaction, "privacy", choice, None)

    return [remember, forget, about, what_do_you_know, forget_me, privacy]


def _memory(on_command: CommandHandler) -> app_commands.Group:
    group = app_commands.Group(
        name="memory", description="The memory of this channel.", allowed_contexts=_CONTEXTS, allowed_installs=_INSTALLS
    )

    @group.command(name="explain", description="Show where the last answer here came from.")
    async def explain(interaction: discord.Interaction) -> None:
        await on_command(interaction, "memory", "explain", None)

    @group.command(name="on", description="Listen in this channel. Only for those who manage it.")
    @app_commands.describe(past="Also store earlier messages.")
    async def on(interaction: discord.Interaction, past: bool = False) -> None:
        await on_command(interaction, "memory", "on past" if past else "on", None)

    @group.command(name="off", description="Stop listening in this channel. Only for those who manage it.")
    async def off(interaction: discord.Interaction) -> None:
        await on_command(interaction, "memory", "off", None)

    @group.command(name="status", description="Show whether the bot listens here, and since when.")
    async def status(interaction: discord.Interaction) -> None:
        await on_command(interaction, "memory", "status", None)

    return group


async def register(commands: app_commands.CommandTree[Any]) -> None:
    client = commands.client
    assert client.application_id is not None
    wanted = [each.to_dict(commands) for each in commands.get_commands()]
    there: list[Any] = list(await client.http.get_global_commands(client.application_id))
    if _matches(sorted(wanted, key=_name), sorted(there, key=_name)):
        return
    await commands.sync()
    log.info("discord.commands_registered", count=len(wanted))


def _name(command: Any) -> str:
    return str(command["name"])


def _matches(wanted: Any, there: Any) -> bool:
    """Compare commands. Discord adds fields of its own and leaves out empty ones."""
    if isinstance(wanted, dict):
        there = there if isinstance(there, dict) else {}
        return all(_matches(value, there.get(name)) for name, value in wanted.items())
    if isinstance(wanted, list | tuple):
        there = there or []
        return len(wanted) == len(there) and all(map(_matches, wanted, there))
    return wanted == there or (not wanted and not there)
