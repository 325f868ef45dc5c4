"""All errors that users can get. The message says what happened and what to do."""

from __future__ import annotations


class Error(Exception):
    """Something went wrong in erstwhile; the message says what to do."""


class InvalidInput(Error):
    """The input is invalid."""


class NotFound(Error):
    """Not found in this space."""


class ConflictError(Error):
    """It was changed meanwhile."""


class SettingsError(Error):
    """A setting is missing or wrong."""


class StorageError(Error):
    """The database failed. Nothing that was acknowledged is lost."""


class StorageFull(StorageError):
    """The disk or the database is full."""


class StorageBusy(StorageError):
    """Another process held the database for too long."""


class StorageCorrupt(StorageError):
    """The database file is damaged."""


class SchemaTooNew(StorageError):
    """The database was written by a newer erstwhile."""


class SchemaTooOld(StorageError):
    """The database needs `erstwhile migrate`."""


class AuthenticationError(Error):
    """The key is missing or unknown."""


class PermissionDenied(Error):
    """The key has no permission for this."""


class TooManyRequests(Error):
    """The server's limit is exceeded. `retry_after` is in seconds, if known."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ServerUnreachable(Error):
    """The server can't be reached."""


class LeaseLost(Error):
    """Another worker took over this job; the results of this one are discarded."""


class ModelError(Error):
    """A model call gave no usable answer. `model` was asked; `tokens`: what it took (in, out,
    cached)."""

    model: str = ""
    tokens: tuple[int, int, int] = (0, 0, 0)


class ModelUnavailable(ModelError):
    """The model can't be reached or is overloaded. Retry, after `retry_after` seconds if known."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelRefused(ModelError):
    """The provider rejects the call (key, model name, request). Retrying does not help."""


class RequestTooLong(ModelRefused):
    """The model can't read that much at once."""


class BadAnswer(ModelError):
    """The model's answer is unusable (empty, a refusal, wrong format)."""


class ContentRefused(BadAnswer):
    """The model, or its provider's filter, declines what the messages say."""


class UngroundedAnswer(BadAnswer):
    """What the model wrote is no memory of the messages: made up, copied or repeated. It would
    write the same again."""
