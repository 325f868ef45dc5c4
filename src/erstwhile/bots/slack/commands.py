"""Slash commands. They cannot be registered: the app's owner adds `/erstwhile` and any others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from erstwhile.base.logs import Log
from erstwhile.bots.port import ChatPlace, SlashCommand
from erstwhile.bots.slack.directory import SlackPeople, SlackPlaces
from erstwhile.bots.slack.web_api import Json, RetryHandler, error_name, library
from erstwhile.text import slack as markup

log = Log(__name__)
VERBS = ("remember", "forget", "about", "what-do-you-know", "forget-me", "privacy", "memory")


def parse_command(command: str, text: str) -> tuple[str, str]:
    """Return the verb and the words after it: `/erstwhile about @ann` is `/about @ann`. Without a
    verb it is `memory` (`/erstwhile explain`)."""
    name = command.lstrip("/").lower()
    if name in VERBS:
        return name, text.strip()
    first, _, rest = text.strip().partition(" ")
    return (first.lower(), rest.strip()) if first.lower() in VERBS else ("memory", text.strip())


class SlackCommands:
    def __init__(self, people: SlackPeople, places: SlackPlaces) -> None:
        self._people, self._places = people, places

    async def read(self, payload: Json) -> SlashCommand:
        person, channel = str(payload["user_id"]), str(payload["channel_id"])
        verb, words = parse_command(str(payload.get("command") or ""), str(payload.get("text") or ""))
        named = markup.mentioned(words) if verb == "about" else []
        place = await self._place(channel, str(payload.get("channel_name") or channel))
        return SlashCommand(
            place,
            person,
            await self._people.name(person),
            verb,
            markup.without_mentions(words) if named else markup.plain(words),
            named[0] if named else None,
            await self._manages(place, person),
            _reply_to(str(payload.get("response_url") or "")),
        )

    async def _place(self, channel: str, name: str) -> ChatPlace:
        """Return the place of a command. Commands can be given where the bot cannot read."""
        try:
            return await self._places.get(channel)
        except SlackApiError as refused:
            if error_name(refused) not in ("channel_not_found", "missing_scope"):
                raise
        direct = channel.startswith("D")
        return ChatPlace(self._places.space, channel, name, open=False, direct=direct)

    async def _manages(self, place: ChatPlace, person: str) -> bool:
        known = await self._people.get(person)
        if place.direct or known.get("admin"):
            return True
        try:
            return await self._places.creator(place.channel) == person
        except SlackApiError:
            return False


def _reply_to(address: str) -> Callable[[str], Awaitable[None]]:
    """Return a function that replies to the asker alone. Valid for half an hour and five replies."""

    async def answer(text: str) -> None:
        client = AsyncWebhookClient(address, logger=library, retry_handlers=[RetryHandler()])
        sent = await client.send(
            text=markup.written(text), response_type="ephemeral", unfurl_links=False, unfurl_media=False
        )
        if sent.status_code != 200:
            log.warning("slack.reply_failed", status=sent.status_code)

    return answer
