"""Send calls to a server. Calls that fail are retried for a while if that is safe."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from erstwhile.base import errors
from erstwhile.base.clock import micros
from erstwhile.base.errors import Error, InvalidInput, NotFound, ServerUnreachable
from erstwhile.base.records import dataclass
from erstwhile.base.tls import trusted


def path(*segments: str) -> str:
    # Clients and proxies drop the segments "." and ".." from a path.
    dots = {".": "%2E", "..": "%2E%2E"}
    return "/v1/" + "/".join(dots.get(each) or _encoded(each) for each in segments)


def _encoded(value: str) -> str:
    try:
        return quote(value, safe="")
    except UnicodeEncodeError as error:
        why = f"The text has half of a surrogate pair at position {error.start}:"
        raise InvalidInput(f"{why} it is not valid Unicode. Replace it.") from None


def query(given: Mapping[str, Any]) -> str:
    """Build the query. None is left out; lists repeat their name."""
    parts = []
    for name, value in given.items():
        every = value if isinstance(value, list) else [value]
        parts += [f"{name}={_encoded(_in_url(each))}" for each in every if each is not None]
    return "&".join(parts)


def _in_url(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        micros(value)  # refuses a time without a time zone
    return value.isoformat() if isinstance(value, date) else str(value)


if TYPE_CHECKING:
    import httpx2


# For responses that name no error class: from a proxy, or errors of HTTP alone.
_BY_STATUS: Final[Mapping[int, type[Error]]] = {
    **dict.fromkeys((400, 409, 413, 415, 421, 422), InvalidInput),
    401: errors.AuthenticationError,
    403: errors.PermissionDenied,
    404: NotFound,
    412: errors.ConflictError,
    429: errors.TooManyRequests,
    507: errors.StorageFull,
}


def problem_error(
    status: int, document: Mapping[str, Any], retry_after: float | None = None
) -> errors.Error:
    detail = document.get("detail")
    said = detail if isinstance(detail, str) and detail else f"The server answered {status}."
    kind = _error_class(document) or _BY_STATUS.get(status, errors.Error)
    made: errors.Error = kind(said)
    if isinstance(made, errors.ModelUnavailable | errors.TooManyRequests):
        made.retry_after = retry_after
    return made


def _error_class(document: Mapping[str, Any]) -> type[errors.Error] | None:
    """Return the error class that a problem names, if it is one of erstwhile's."""
    kind = getattr(errors, str(document.get("error")), None)
    return kind if isinstance(kind, type) and issubclass(kind, errors.Error) else None


def parse_problem(body: str | bytes) -> Mapping[str, Any]:
    """Parse a problem document. Returns {} for anything else, such as a proxy's HTML."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 5.0
_READ_SECONDS: Final = 60.0
_JSON: Final = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class HttpCall:
    """An HTTP call. `again`: it is safe to retry after a lost response. `slow`: it may take as long
    as a model call, or longer."""

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    again: bool = True
    slow: bool = False


class FailedAttempt(Exception):
    """Raised when an attempt fails. `after` is the server's Retry-After."""

    def __init__(self, error: Error, *, again: bool, after: float | None = None) -> None:
        super().__init__(str(error))
        self.error, self.again, self.after = error, again, after


class RetryDelays:
    """Growing delays with jitter, for `patience` seconds in total."""

    def __init__(self, patience: float) -> None:
        self._until = time.monotonic() + patience
        self._next = _FIRST_PAUSE

    async def after(self, turned: FailedAttempt) -> None:
        """Wait before the next attempt, or raise if there is none."""
        # Jitter keeps clients that failed together from retrying together.
        pause = max(self._next * random.uniform(0.5, 1.5), turned.after or 0)
        if not turned.again or time.monotonic() + pause > self._until:
            raise turned.error from turned.__cause__
        self._next = min(self._next * 2, _LONGEST_PAUSE)
        await asyncio.sleep(pause)


class Transport:
    def __init__(self, url: str, key: str | None, patience: float) -> None:
        self._url, self._key, self.patience = url, key, patience
        self._client: httpx2.AsyncClient | None = None

    @property
    def closed(self) -> bool:
        return self._client is None

    async def open(self) -> None:
        try:
            import httpx2  # imported late to keep `import erstwhile` fast
        except ImportError:
            how = "pip install 'erstwhile[client]'."
            raise errors.SettingsError(f"Connecting needs httpx2: {how}") from None
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        timeout = httpx2.Timeout(_READ_SECONDS, connect=10, pool=None)
        # No connection limit: each event stream holds a connection.
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
        self._client = httpx2.AsyncClient(
            base_url=self._url, headers=headers, timeout=timeout, limits=limits, verify=trusted()
        )

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def get(self, path: str, **params: Any) -> Any:
        return await self.call(HttpCall("GET", path, params))

    async def call(self, call: HttpCall) -> Any:
        """Send a call and return the JSON of the response, or None."""
        return (await self.answer(call))[0]

    async def answer(self, call: HttpCall) -> tuple[Any, Mapping[str, str]]:
        """Send a call and return the JSON and the headers of the response."""
        pauses = RetryDelays(self.patience)
        while True:
            try:
                async with self._sent(call) as response:
                    body, headers = await response.aread(), response.headers
            except FailedAttempt as turned:
                await pauses.after(turned)
                continue
            try:
                return json.loads(body) if body else None, headers
            except ValueError:
                raise Error(f"{self._url} is not an erstwhile server. Check the address.") from None

    @asynccontextmanager
    async def stream(
        self, call: HttpCall, pauses: RetryDelays | None = None
    ) -> AsyncIterator[httpx2.Response]:
        """Stream a response. It is retried until it begins; later failures raise FailedAttempt."""
        pauses = pauses or RetryDelays(self.patience)
        while True:
            begun = False
            try:
                async with self._sent(call) as response:
                    begun = True
                    yield response
                    return
            except FailedAttempt as turned:
                if begun:
                    raise
                await pauses.after(turned)

    async def events(self, response: httpx2.Response) -> AsyncIterator[httpx2.ServerSentEvent]:
        """Iterate over the events of a stream."""
        import httpx2

        async for event in httpx2.EventSource(response):
            yield event

    @asynccontextmanager
    async def _sent(self, call: HttpCall) -> AsyncIterator[httpx2.Response]:
        """Make one attempt. Raises FailedAttempt, or the error that the server returned."""
        import httpx2

        client = self._client
        if client is None:
            how = "`async with erstwhile.connect(…) as memory:`."
            raise NotFound(f"This memory is not open. Use {how}")
        wanted = query(call.params)
        request = client.build_request(
            call.method,
            call.path + (f"?{wanted}" if wanted else ""),
            content=_body(call.body),
            headers={**({} if call.body is None else _JSON), **call.headers},
            timeout=httpx2.Timeout(None, connect=10) if call.slow else httpx2.USE_CLIENT_DEFAULT,
        )
        try:
            response = await client.send(request, stream=True)
            try:
                if response.status_code >= 300:
                    await self._refuse(call, response)
                yield response
            finally:
                await response.aclose()
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise FailedAttempt(self._unreachable(), again=True) from error
        except httpx2.TransportError as error:
            what = "" if call.again else " It may have been done: check before you retry."
            why = f"The connection to {self._url} broke before the response arrived.{what}"
            raise FailedAttempt(ServerUnreachable(why), again=call.again) from error

    async def _refuse(self, call: HttpCall, response: httpx2.Response) -> None:
        status, document = response.status_code, parse_problem(await response.aread())
        after = _seconds(response.headers.get("retry-after"))
        error = problem_error(status, document, after)
        # Nothing was done; the server has already retried model calls.
        if status in (429, 503) and not isinstance(error, errors.ModelError):
            raise FailedAttempt(error, again=True, after=after)
        if status in (502, 504) and not _error_class(document):  # from a proxy
            raise FailedAttempt(self._unreachable(), again=call.again, after=after)
        raise error

    def _unreachable(self) -> Error:
        advice = "Check the address, and that `erstwhile serve` is running there."
        return ServerUnreachable(f"Can't reach {self._url}. {advice}")


def _body(given: Any) -> bytes | None:
    try:
        if given is None:
            return None
        return json.dumps(given, allow_nan=False, default=_written).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"This can't be sent as JSON: {error}.") from None


def _written(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not JSON")


def _seconds(written: str | None) -> float | None:
    """Read Retry-After in seconds. Dates are not supported."""
    try:
        return None if written is None else max(0.0, float(written))
    except ValueError:
        return None
