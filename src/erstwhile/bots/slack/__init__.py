"""Slack adapter, built on slack_sdk: Socket Mode for events, the Web API for the rest.

`web_api.py` has the calls with their limits and the socket, `events.py` people, places and events;
`platform.py` is the adapter. Always true: each event is reported once and in order, and a
connection that Slack announces to end is closed only after the next one is open.
"""

from erstwhile.bots.slack.platform import SlackPlatform

__all__ = ["SlackPlatform"]
