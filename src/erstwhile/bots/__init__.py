"""Bots on chat platforms: store what people write, and answer whoever addresses the bot.

`port.py` is the contract of a platform. An adapter (`discord/`, `slack/`) speaks one platform's
protocol and nothing else. The rest is the bot, the same for every platform. Always true: only
channels that someone opted in are stored; missed, edited and deleted messages are read before
anything newer is stored; nobody is told what they could not have read on the platform.
"""
