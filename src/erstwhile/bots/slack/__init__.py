"""Slack adapter, built on slack_sdk: Socket Mode for events, the Web API for the rest.

`connection.py` holds the socket, `web_api.py` the calls with their limits, `directory.py` people
and places; `events.py` translates events, `history.py` reads messages, `commands.py` slash
commands; `platform.py` is the adapter. Always true: each event is reported once and in order, and a
connection that Slack announces to end is closed only after the next one is open.
"""

from erstwhile.bots.slack.platform import SlackPlatform

__all__ = ["SlackPlatform"]
