"""Slack, by slack_sdk: Socket Mode for what happens, the Web API for everything else.

`line.py` holds the connection, `calls.py` the Web API with its limits, `known.py` people and places, `hearing.py` makes events of what
Slack sends, `history.py` reads what stands there, `commands.py` the slash commands; `platform.py` is the adapter. Always true: each event
is handed on once and in order, and a connection that Slack is about to end is given up only for one that already hears.
"""

from erstwhile.bots.slack.platform import SlackPlatform

__all__ = ["SlackPlatform"]
