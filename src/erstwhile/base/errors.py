"""Every error a user can meet. The message says what happened and what to do about it."""

from __future__ import annotations


class Error(Exception):
    """Something went wrong in erstwhile; the message says what to do."""


class InvalidInput(Error):
    """What was handed in can't be stored or asked as it is."""


class NotFound(Error):
    """There is no such thing in this space."""


class Changed(Error):
    """It no longer says what was expected."""


class SettingsError(Error):
    """A setting is missing or wrong."""


class StorageError(Error):
    """The database could not do it. Nothing that was acknowledged is lost."""


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


class Unauthorized(Error):
    """The server wants a key, or does not know this one."""


class Forbidden(Error):
    """The key is good, but not for this."""


class TooManyRequests(Error):
    """The server has had enough for now; `retry_after` says for how many seconds, if it said so."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unreachable(Error):
    """No answer came from the server."""


class LeaseLost(Error):
    """Another worker took this job over; what this one made is dropped."""


class ModelError(Error):
    """A call to the model did not give a usable answer."""


class ModelUnavailable(ModelError):
    """The model can't be reached or is overloaded: worth trying again, after `retry_after` seconds if it said so."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelRefused(ModelError):
    """The provider won't take this call as it stands (key, model name, request): trying again changes nothing."""


class BadAnswer(ModelError):
    """The model answered, but with nothing usable (empty, a refusal, babble, the wrong shape)."""
