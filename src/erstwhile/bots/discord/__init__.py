"""Discord adapter, built on discord.py."""

from erstwhile.bots.discord.client import ConnectionTiming
from erstwhile.bots.discord.platform import DiscordPlatform

__all__ = ["ConnectionTiming", "DiscordPlatform"]
