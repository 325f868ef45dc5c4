"""Slash commands. Slack has no way to register them: whoever sets the app up names `/erstwhile`, and those of the others they want."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from erstwhile.base.logs import Log
from erstwhile.bots.port import Asked, Place
from erstwhile.bots.slack.calls import Json, Patience, error_name, library
from erstwhile.bots.slack.known import People, Places
from erstwhile.text import slack as markup

log = Log(__name__)
VERBS = ("remember", "forget", "about", "what-do-you-know", "forget-me", "privacy", "memory")


def taken_apart(command: str, text: str) -> tuple[str, str]:
    """The verb and what follows it: `/erstwhile about @ann` is `/about @ann`. What begins with no verb is about the memory of the channel
    (`/erstwhile why`)."""
    name = command.lstrip("/").lower()
    if name in VERBS:
        return name, text.strip()
    first, _, rest = text.strip().partition(" ")
    return (first.lower(), rest.strip()) if first.lower() in VERBS else ("memory", text.strip())


class Commands:
    def __init__(self, people: People, places: Places) -> None:
        self._people, self._places = people, places

    async def asked(self, payload: Json) -> Asked:
        person, channel = str(payload["user_id"]), str(payload["channel_id"])
        verb, words = taken_apart(str(payload.get("command") or ""), str(payload.get("text") or ""))
        named = markup.mentioned(words) if verb == "about" else []
        place = await self._place(channel, str(payload.get("channel_name") or channel))
        return Asked(
            place,
            person,
            await self._people.name(person),
            verb,
            markup.without_mentions(words) if named else markup.plain(words),
            named[0] if named else None,
            await self._manages(place, person),
            _answering(str(payload.get("response_url") or "")),
        )

    async def _place(self, channel: str, name: str) -> Place:
        """Commands can be given where the bot is not, and may not look."""
        try:
            return await self._places.get(channel)
        except SlackApiError as refused:
            if error_name(refused) not in ("channel_not_found", "missing_scope"):
                raise
        direct = channel.startswith("D")
        return Place(self._places.space, channel, name, open=False, direct=direct)

    async def _manages(self, place: Place, person: str) -> bool:
        known = await self._people.get(person)
        if place.direct or known.get("admin"):
            return True
        try:
            return await self._places.creator(place.channel) == person
        except SlackApiError:
            return False


def _answering(address: str) -> Callable[[str], Awaitable[None]]:
    """Good for half an hour and five answers, each for the asker's eyes only."""

    async def answer(text: str) -> None:
        client = AsyncWebhookClient(address, logger=library, retry_handlers=[Patience()])
        sent = await client.send(
            text=markup.written(text), response_type="ephemeral", unfurl_links=False, unfurl_media=False
        )
        if sent.status_code != 200:
            log.warning("slack.not_answered", status=sent.status_code)

    return answer
