"""Addresses of databases and servers: tell what is meant, and show none of their passwords."""

from __future__ import annotations

import re

from erstwhile.base.errors import SettingsError

_POSTGRES = ("postgresql:", "postgres:")
# `host=… password=…`, as libpq takes it; and an address whose beginning was left out.
_KEYWORDS = re.compile(r"\A\s*[a-z_]+\s*=")
_TELLING = re.compile(r"\b(host|hostaddr|dbname|user|password|passfile|service)\s*=")
_HEADLESS = re.compile(r"\A(//)?[^/@\s:]+:[^@\s]+@")
# Parameters whose value may be shown: a misspelt `password` is one too.
_HIDDEN = re.compile(
    r"([?&](?!(?:user|host|port|dbname|sslmode|options|application_name)=)[^=&?]*=)[^&#]*"
)
_FORM = "Write it as postgresql://user:password@host/database."
_ENCODING = "In user and password, write special characters in percent encoding: %40 for @, %2F for /, %20 for a space."


def is_postgres(url: str) -> bool:
    """Return whether this is an address of Postgres. Raise for one that can't be used: what
    libpq says about it may quote the password, and a file would have it in its name."""
    if url.startswith(_POSTGRES):
        authority = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]
        if not url.partition("://")[1] or authority.count("@") > 1 or re.search(r"\s", url):
            raise SettingsError(f"The address of the database is malformed. {_FORM} {_ENCODING}")
        if "@" not in authority and "@" in url:
            raise SettingsError(f"The address of the database is malformed. {_ENCODING}")
        return True
    if _is_keywords(url) or ("://" not in url and _HEADLESS.match(url)):
        raise SettingsError(f"This is the address of a server, not the path of a file. {_FORM}")
    return False


def malformed() -> SettingsError:
    return SettingsError(f"The address of the database can't be read. {_FORM} {_ENCODING}")


def _is_keywords(url: str) -> bool:
    return bool(_KEYWORDS.match(url) and _TELLING.search(url))


def without_password(url: str) -> str:
    """Return an address to be shown."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        hidden = _is_keywords(url) or url.startswith(_POSTGRES) or _HEADLESS.match(url)
        return "…" if hidden else url
    known, at, place = rest.rpartition("@")
    return f"{scheme}://{known.partition(':')[0]}{at}" + _HIDDEN.sub(r"\1…", place)
