"""Calls of the Bot API, with Telegram's limits."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import httpx2

from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import Log

log = Log(__name__)

ADDRESS = "https://api.telegram.org"
POLL_SECONDS = 50  # Telegram answers after this time even if nothing happened
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_ATTEMPTS = 5
_LONGEST_WAIT = 300.0  # a longer wait that Telegram asks for is a failure

Json = dict[str, Any]


class TelegramError(Exception):
    """Telegram refused a call. The token, which is part of every address, is never in the message."""

    def __init__(self, code: int, reason: str, retry_after: float = 0) -> None:
        super().__init__(f"{code} {reason}")
        self.code, self.reason, self.retry_after = code, reason, retry_after


class BotApi:
    """One bot. Network failures are `OSError`s; a call that is limited waits as long as it is told."""

    def __init__(
        self, token: str, address: str | None = None, *, pause: float = _FIRST_PAUSE
    ) -> None:
        self._root = f"{(address or ADDRESS).rstrip('/')}/bot{token}/"
        self._pause = pause
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(30, read=POLL_SECONDS + 20),
            follow_redirects=False,
            trust_env=address is None,
        )
        self._turns: dict[object, asyncio.Lock] = {}  # by chat: one message after the other

    async def close(self) -> None:
        await self._client.aclose()

    async def call(self, method: str, **arguments: Any) -> Any:
        """Call a method. Repeats what Telegram told to wait for, and what did not arrive."""
        if method != "sendMessage":
            return await self._patiently(method, arguments)
        async with self._turns.setdefault(arguments["chat_id"], asyncio.Lock()):
            return await self._patiently(method, arguments)

    async def _patiently(self, method: str, arguments: Json) -> Any:
        for attempt in range(_ATTEMPTS):
            try:
                return await self._once(method, arguments)
            except TelegramError as refused:
                if attempt == _ATTEMPTS - 1 or not (
                    refused.code >= 500 or 0 < refused.retry_after <= _LONGEST_WAIT
                ):
                    raise
                if refused.retry_after:
                    log.info("telegram.rate_limited", method=method, seconds=refused.retry_after)
                await asyncio.sleep(refused.retry_after)
            except httpx2.ConnectError as error:
                if attempt == _ATTEMPTS - 1:
                    raise OSError(type(error).__name__) from None
            except (
                httpx2.TransportError
            ) as error:  # it may have arrived: a message must not be sent twice
                raise OSError(type(error).__name__) from None
            await asyncio.sleep(self._pause * 2**attempt * random.random())
        raise AssertionError("the last attempt returns or raises")

    async def updates(self, offset: int | None, allowed: list[str]) -> list[Json]:
        """Wait for updates. All before `offset` are confirmed and never come again.

        Waits for a network. Raises an error that says what to do where a retry can't help.
        """
        pause = self._pause
        arguments: Json = {"timeout": POLL_SECONDS, "allowed_updates": allowed, "limit": 100}
        arguments |= {"offset": offset} if offset else {}
        while True:
            try:
                return list(await self._once("getUpdates", arguments))
            except TelegramError as refused:
                raise_permanent(refused)
                log.warning("telegram.unreachable", error=str(refused), seconds=round(pause, 1))
                await asyncio.sleep(refused.retry_after)
            except httpx2.TransportError as error:
                log.warning(
                    "telegram.unreachable", error=type(error).__name__, seconds=round(pause, 1)
                )
            await asyncio.sleep(pause * (1 + random.random() / 4))
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _once(self, method: str, arguments: Json) -> Any:
        answer = await self._client.post(self._root + method, json=arguments)
        try:
            told = answer.json()
        except ValueError:  # a proxy's page
            told = {}
        if isinstance(told, dict) and told.get("ok"):
            return told.get("result")
        told = told if isinstance(told, dict) else {}
        more = told.get("parameters") or {}
        reason = str(told.get("description") or answer.reason_phrase)
        code = int(told.get("error_code") or answer.status_code)
        raise TelegramError(code, reason, float(more.get("retry_after") or 0))


def raise_permanent(refused: TelegramError) -> None:
    """Raise a `SettingsError` where a retry can't help."""
    if refused.code in (401, 404):
        raise SettingsError(
            "TELEGRAM_BOT_TOKEN: Telegram doesn't know this token. Take it from @BotFather."
        ) from None
    if refused.code == 409 and "webhook" in refused.reason.lower():
        raise SettingsError(
            "This bot has a webhook, so it can't be polled. Remove it with deleteWebhook."
        ) from None
