"""Discord, by discord.py."""

from erstwhile.bots.discord.client import Pace
from erstwhile.bots.discord.platform import DiscordPlatform

__all__ = ["DiscordPlatform", "Pace"]
