"""Telegram adapter, over the Bot API: plain HTTPS and JSON, with long polling.

`messages.py` translates what Telegram sends, `platform.py` is the adapter, with the calls of the Bot
API. Always true: an update is confirmed only after it is on disk, because
Telegram sends nothing twice and lets no bot read the past.
"""

from erstwhile.bots.telegram.platform import TelegramPlatform

__all__ = ["TelegramPlatform"]
