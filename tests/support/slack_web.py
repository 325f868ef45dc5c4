"""The Web API of Slack, as far as a bot that listens and answers uses it: form, query and JSON arguments, cursors, scopes, `ok: false`."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

from support.slack_workspace import Conversation, Json, Workspace, moment

KINDS = {"public_channel": "channel", "private_channel": "group", "mpim": "mpim", "im": "im"}
PREFIX = {"channel": "channels", "group": "groups", "mpim": "mpim", "im": "im"}
SCOPES = frozenset(f"{prefix}:{right}" for prefix in PREFIX.values() for right in ("history", "read")) | {
    "chat:write",
    "commands",
    "im:write",
    "users:read",
    "team:read",
}


class Refused(Exception):
    """`ok: false`."""

    def __init__(self, error: str, **more: str) -> None:
        super().__init__(error)
        self.body = {"ok": False, "error": error, **more}


def page(found: Sequence[Json], arguments: Json, largest: int) -> tuple[list[Json], str]:
    """A part of what was found, and the cursor of the next."""
    start = int(base64.b64decode(arguments.get("cursor") or "MA==").decode())
    size = max(1, min(int(arguments.get("limit") or 100), largest))
    more = start + size < len(found)
    return list(found[start : start + size]), base64.b64encode(str(start + size).encode()).decode() if more else ""


class WebApi:
    """`largest`: of a page. Slack gives apps that are distributed outside its marketplace no more than 15 messages at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.scopes = set(SCOPES)
        self.largest = 999
        self.ephemeral: list[Json] = []
        self._methods: dict[str, Callable[[Json], Json]] = {
            "auth.test": self._auth_test,
            "team.info": lambda _: {"team": {"id": self.workspace.team, "name": "Loopback"}},
            "conversations.list": self._list,
            "conversations.info": self._info,
            "conversations.history": self._history,
            "conversations.replies": self._replies,
            "conversations.members": self._members,
            "conversations.open": self._open,
            "users.info": self._user,
            "users.list": self._users,
            "users.conversations": self._of_user,
            "chat.postMessage": self._post,
            "chat.postEphemeral": self._post_ephemeral,
        }
        self.posted: list[tuple[str, Json]] = []  # events of what the bot said, not yet sent on

    def call(self, method: str, arguments: Json) -> Json:
        if method not in self._methods:
            raise Refused("unknown_method", req_method=method)
        return {"ok": True, **self._methods[method](arguments)}

    def _auth_test(self, _: Json) -> Json:
        us = self.workspace.users[self.workspace.us]
        return {
            "team": "Loopback",
            "team_id": self.workspace.team,
            "user": us.name,
            "user_id": us.id,
            "bot_id": f"B{us.id}",
        }

    def _list(self, arguments: Json) -> Json:
        us = self.workspace.us
        seen = [each for each in self.workspace.conversations.values() if each.kind == "channel" or us in each.members]
        return self._conversations(seen, arguments)

    def _of_user(self, arguments: Json) -> Json:
        user = arguments.get("user") or self.workspace.us
        if user not in self.workspace.users:
            raise Refused("user_not_found")
        return self._conversations(self.workspace.visible(user), arguments)

    def _conversations(self, found: list[Conversation], arguments: Json) -> Json:
        kinds = [KINDS[each] for each in (arguments.get("types") or "public_channel").split(",")]
        for kind in kinds:
            self._need(f"{PREFIX[kind]}:read")
        without = str(arguments.get("exclude_archived", "")) in ("1", "true", "True")
        shown = [
            each.shown(self.workspace.us) for each in found if each.kind in kinds and not (without and each.archived)
        ]
        part, cursor = page(shown, arguments, self.largest)
        return {"channels": part, "response_metadata": {"next_cursor": cursor}}

    def _info(self, arguments: Json) -> Json:
        where = self._conversation(arguments)
        self._need(f"{PREFIX[where.kind]}:read")
        return {"channel": where.shown(self.workspace.us)}

    def _history(self, arguments: Json) -> Json:
        """The newest come first."""
        where = self._readable(arguments)
        found = [each for each in where.timeline() if _within(each, arguments)]
        return self._messages(found[::-1], arguments)

    def _replies(self, arguments: Json) -> Json:
        """The oldest come first, the message they answer before them, whatever the bounds."""
        where = self._readable(arguments)
        first = where.messages.get(arguments.get("ts", ""))
        if first is None:
            raise Refused("thread_not_found")
        thread: str = first.get("thread_ts") or first["ts"]
        found = [each for each in where.replies(thread) if _within(each, arguments)]
        head = where.messages.get(thread)
        return self._messages([*([where.as_read(head)] if head else []), *found], arguments)

    def _messages(self, found: list[Json], arguments: Json) -> Json:
        part, cursor = page(found, arguments, self.largest)
        meta = {"response_metadata": {"next_cursor": cursor}} if cursor else {}
        return {"messages": part, "has_more": bool(cursor), **meta}

    def _members(self, arguments: Json) -> Json:
        where = self._conversation(arguments)
        part, cursor = page([{"id": each} for each in sorted(where.members)], arguments, self.largest)
        return {"members": [each["id"] for each in part], "response_metadata": {"next_cursor": cursor}}

    def _open(self, arguments: Json) -> Json:
        self._need("im:write")
        if arguments.get("users") not in self.workspace.users:
            raise Refused("user_not_found")
        return {"channel": {"id": self.workspace.direct(arguments["users"])}}

    def _user(self, arguments: Json) -> Json:
        self._need("users:read")
        if arguments.get("user") not in self.workspace.users:
            raise Refused("user_not_found")
        return {"user": self.workspace.users[arguments["user"]].shown()}

    def _users(self, arguments: Json) -> Json:
        self._need("users:read")
        part, cursor = page([each.shown() for each in self.workspace.users.values()], arguments, self.largest)
        return {"members": part, "response_metadata": {"next_cursor": cursor}}

    def _post(self, arguments: Json) -> Json:
        self._need("chat:write")
        where = self._conversation(arguments)
        if self.workspace.us not in where.members:
            raise Refused("not_in_channel")
        if not arguments.get("text"):
            raise Refused("no_text")
        thread = {"thread_ts": arguments["thread_ts"]} if arguments.get("thread_ts") else {}
        ts, event = self.workspace.post(where.id, self.workspace.us, arguments["text"], thread)
        self.posted.append((where.id, event))
        return {"channel": where.id, "ts": ts, "message": where.messages[ts]}

    def _post_ephemeral(self, arguments: Json) -> Json:
        self._need("chat:write")
        where = self._conversation(arguments)
        if arguments.get("user") not in where.members:
            raise Refused("user_not_in_channel")
        self.ephemeral.append(arguments)
        return {"message_ts": self.workspace.tick()}

    def _conversation(self, arguments: Json) -> Conversation:
        where = self.workspace.conversations.get(arguments.get("channel", ""))
        if where is None or (where.kind != "channel" and self.workspace.us not in where.members):
            raise Refused("channel_not_found")
        return where

    def _readable(self, arguments: Json) -> Conversation:
        where = self._conversation(arguments)
        self._need(f"{PREFIX[where.kind]}:history")
        if self.workspace.us not in where.members:
            raise Refused("not_in_channel")
        return where

    def _need(self, scope: str) -> None:
        if scope not in self.scopes:
            raise Refused("missing_scope", needed=scope, provided=",".join(sorted(self.scopes)))


def _within(message: Json, arguments: Json) -> bool:
    at, ends = moment(message["ts"]), str(arguments.get("inclusive", "")) in ("1", "true", "True")
    oldest, latest = (moment(arguments[name]) if arguments.get(name) else None for name in ("oldest", "latest"))
    return (oldest is None or at > oldest or (ends and at == oldest)) and (
        latest is None or at < latest or (ends and at == latest)
    )


def text_of(arguments: Any) -> Json:
    """Arguments as they came: by whatever way, their values are text or JSON."""
    return {str(name): value for name, value in dict(arguments).items() if value is not None}
