"""Translate what Telegram sends: chats and topics into places, messages into posts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from erstwhile.base.recent import RecentItems
from erstwhile.base.records import dataclass
from erstwhile.bots.port import ChatPlace, Post

Json = dict[str, Any]

DIRECT = "telegram:direct"
_SUPERGROUPS = 10**12  # their ids are below the negative of this


def plain_id(chat: int) -> str:
    """Return a chat's id as exports have it: without the sign and the offset of supergroups."""
    return str(-chat - _SUPERGROUPS if chat < -_SUPERGROUPS else abs(chat))


def person_id(user: Json) -> str:
    return f"user{user['id']}"


def person_name(user: Json) -> str:
    names = filter(None, (user.get("first_name"), user.get("last_name")))
    return " ".join(names) or person_id(user)


def key_of(message: Json) -> str:
    return f"telegram:{plain_id(message['chat']['id'])}:{message['message_id']}"


@dataclass(frozen=True, slots=True)
class Target:
    """Where to send: the chat's own id, and the topic."""

    chat: int
    topic: int | None = None


class Chats:
    """The chats that were seen. A group is a space of its own; its topics are threads."""

    def __init__(self) -> None:
        self._targets: dict[tuple[str, str], Target] = {}
        self._places: dict[tuple[str, str], ChatPlace] = {}
        self._topics: dict[tuple[str, int], str] = {}

    def place(self, message: Json) -> ChatPlace:
        topic = message.get("message_thread_id") if message.get("is_topic_message") else None
        chat = self.chat(message["chat"])
        if topic is None:
            return chat
        title = self._topic_title(chat, int(topic), message)
        readers = chat.open, chat.direct, chat.channel
        place = ChatPlace(chat.space, f"{chat.channel}:{topic}", title, *readers)
        return self._remember(place, Target(int(message["chat"]["id"]), int(topic)))

    def chat(self, chat: Json) -> ChatPlace:
        channel = f"telegram:{plain_id(chat['id'])}"
        if chat["type"] == "private":
            place = ChatPlace(DIRECT, channel, person_name(chat), open=False, direct=True)
        else:
            place = ChatPlace(channel, channel, str(chat.get("title") or channel), open=True)
        return self._remember(place, Target(int(chat["id"])))

    def all(self) -> list[ChatPlace]:
        return list(self._places.values())

    def target(self, place: ChatPlace) -> Target | None:
        return self._targets.get((place.space, place.channel))

    def chat_of(self, space: str) -> int | None:
        """Return the id of the group that is this space."""
        found = self._targets.get((space, space))
        return found.chat if found else None

    def channels(self, space: str) -> frozenset[str]:
        return frozenset(channel for of, channel in self._places if of == space)

    def left(self, place: ChatPlace) -> None:
        for key, each in list(self._places.items()):
            if place.channel in (each.channel, each.parent):
                del self._places[key]

    def _remember(self, place: ChatPlace, target: Target) -> ChatPlace:
        key = place.space, place.channel
        self._places[key], self._targets[key] = place, target
        return place

    def _topic_title(self, chat: ChatPlace, topic: int, message: Json) -> str:
        began = (message.get("reply_to_message") or {}).get("forum_topic_created") or {}
        told = message.get("forum_topic_edited") or message.get("forum_topic_created") or began
        if told.get("name"):
            self._topics[chat.channel, topic] = f"{chat.title} / {told['name']}"
        return self._topics.get((chat.channel, topic), f"{chat.title} / topic {topic}")


class MessageReader:
    """Reads messages for the bot that `me` is, a user as Telegram describes it."""

    def __init__(self, chats: Chats) -> None:
        self.me: Json = {}
        self._chats = chats
        self._names: RecentItems[str, str] = RecentItems()  # people by user name, as seen

    def post(self, message: Json) -> Post | None:
        """Return None for a message without words, such as a notice that someone joined."""
        for user in (message.get("from"), (message.get("reply_to_message") or {}).get("from")):
            if user and user.get("username"):
                self._names.put(str(user["username"]).lower(), person_id(user))
        text, sender = self.text(message), message.get("from")
        if not text or not sender:
            return None
        place, replied = self._chats.place(message), message.get("reply_to_message") or {}
        ours = (replied.get("from") or {}).get("id") == self.me.get("id")
        answers = self.text(replied) if ours else ""
        bot = bool(sender.get("is_bot") or message.get("sender_chat"))
        addressed = place.direct or bool(answers) or f"<@{person_id(self.me)}>" in text
        at = datetime.fromtimestamp(int(message["date"]), UTC)
        who, addressed = (person_id(sender), person_name(sender)), addressed and not bot
        return Post(place, key_of(message), *who, text, at, bot, addressed, answers)

    def text(self, message: Json) -> str:
        """Return the text or the caption, with mentions as `<@id>` where the person is known."""
        text = str(message.get("text") or message.get("caption") or "")
        units = text.encode("utf-16-le")  # Telegram counts in these
        pieces, done = [], 0
        entities = message.get("entities") or message.get("caption_entities") or []
        mentions = [each for each in entities if each.get("type") in ("mention", "text_mention")]
        for entity in sorted(mentions, key=lambda each: each["offset"]):
            start = 2 * int(entity["offset"])
            end = 2 * (int(entity["offset"]) + int(entity["length"]))
            person = self._mentioned(entity, units[start:end].decode("utf-16-le", "replace"))
            if person and start >= done:
                pieces += [units[done:start].decode("utf-16-le", "replace"), f"<@{person}>"]
                done = end
        return "".join([*pieces, units[done:].decode("utf-16-le", "replace")]).strip()

    def person_named(self, message: Json, words: str) -> str | None:
        """Return whom the words of a command name: a mention, or whose message it replies to."""
        for word in words.split():
            if word.startswith("<@") and word.endswith(">"):
                return word[2:-1]
        replied = (message.get("reply_to_message") or {}).get("from")
        return person_id(replied) if replied and not replied.get("is_bot") else None

    def _mentioned(self, entity: Json, words: str) -> str | None:
        if entity["type"] == "text_mention":
            return person_id(entity["user"])
        name = words.removeprefix("@").lower()
        if name == str(self.me.get("username") or "").lower():
            return person_id(self.me)
        return self._names.get(name)
