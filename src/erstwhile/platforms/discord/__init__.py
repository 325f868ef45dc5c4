"""Discord, by discord.py."""

from erstwhile.platforms.discord.client import Pace
from erstwhile.platforms.discord.platform import DiscordPlatform

__all__ = ["DiscordPlatform", "Pace"]
