"""The slash commands. They are registered with Discord when they are other than what stands there, not at each start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import discord
from discord import app_commands

from erstwhile.base.logs import Log

log = Log(__name__)

# The interaction, the verb, the words after it, and the person it names.
Given = Callable[[discord.Interaction, str, str, str | None], Awaitable[None]]
_everywhere = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False)
_installed = app_commands.AppInstallationType(guild=True, user=False)


def tree(client: discord.Client, given: Given) -> app_commands.CommandTree[Any]:
    commands = app_commands.CommandTree(client, allowed_contexts=_everywhere, allowed_installs=_installed)
    for command in _personal(given):
        commands.add_command(command)
    commands.add_command(_memory(given))
    return commands


def _personal(given: Given) -> list[app_commands.Command[Any, ..., None]]:
    @app_commands.command(name="remember", description="Have something remembered.")
    @app_commands.describe(what="What to remember, in your own words.", who="About whom, if not about you.")
    async def remember(interaction: discord.Interaction, what: str, who: discord.User | None = None) -> None:
        await given(interaction, "remember", what, str(who.id) if who else None)

    @app_commands.command(name="forget", description="Have something forgotten that you had remembered.")
    @app_commands.describe(what="What to forget.", who="About whom, if not about you.")
    async def forget(interaction: discord.Interaction, what: str, who: discord.User | None = None) -> None:
        await given(interaction, "forget", what, str(who.id) if who else None)

    @app_commands.command(name="about", description="What is known about someone, from channels that you can read.")
    @app_commands.describe(who="About whom.")
    async def about(interaction: discord.Interaction, who: discord.User) -> None:
        await given(interaction, "about", "", str(who.id))

    @app_commands.command(name="what-do-you-know", description="All that is remembered about you.")
    async def what_do_you_know(interaction: discord.Interaction) -> None:
        await given(interaction, "what-do-you-know", "", None)

    @app_commands.command(name="forget-me", description="Erase you: what you said and all that was made of it.")
    @app_commands.describe(confirm="Write yes to do it. Without it you are told what would go.")
    async def forget_me(interaction: discord.Interaction, confirm: str = "") -> None:
        await given(interaction, "forget-me", confirm, None)

    @app_commands.command(name="privacy", description="What is kept, who can see it, and your choices.")
    @app_commands.describe(choice="stop: nothing you say is kept from now on. start: it is again.")
    @app_commands.choices(choice=[app_commands.Choice(name=each, value=each) for each in ("stop", "start")])
    async def privacy(interaction: discord.Interaction, choice: str = "") -> None:
        await given(interaction, "privacy", choice, None)

    return [remember, forget, about, what_do_you_know, forget_me, privacy]


def _memory(given: Given) -> app_commands.Group:
    group = app_commands.Group(
        name="memory",
        description="The memory of this channel.",
        allowed_contexts=_everywhere,
        allowed_installs=_installed,
    )

    @group.command(name="why", description="Where the last answer here came from.")
    async def why(interaction: discord.Interaction) -> None:
        await given(interaction, "memory", "why", None)

    @group.command(name="on", description="Listen in this channel. For those who manage it.")
    @app_commands.describe(past="Also take in what was said here before.")
    async def on(interaction: discord.Interaction, past: bool = False) -> None:
        await given(interaction, "memory", "on past" if past else "on", None)

    @group.command(name="off", description="Stop listening in this channel. For those who manage it.")
    async def off(interaction: discord.Interaction) -> None:
        await given(interaction, "memory", "off", None)

    @group.command(name="status", description="Whether this channel is listened to, and since when.")
    async def status(interaction: discord.Interaction) -> None:
        await given(interaction, "memory", "status", None)

    return group


async def register(commands: app_commands.CommandTree[Any]) -> None:
    client = commands.client
    assert client.application_id is not None
    wanted = [each.to_dict(commands) for each in commands.get_commands()]
    there: list[Any] = list(await client.http.get_global_commands(client.application_id))
    if _same(sorted(wanted, key=_name), sorted(there, key=_name)):
        return
    await commands.sync()
    log.info("discord.commands_registered", count=len(wanted))


def _name(command: Any) -> str:
    return str(command["name"])


def _same(wanted: Any, there: Any) -> bool:
    """Discord adds fields of its own and leaves empty ones out."""
    if isinstance(wanted, dict):
        there = there if isinstance(there, dict) else {}
        return all(_same(value, there.get(name)) for name, value in wanted.items())
    if isinstance(wanted, list | tuple):
        there = there or []
        return len(wanted) == len(there) and all(map(_same, wanted, there))
    return wanted == there or (not wanted and not there)
