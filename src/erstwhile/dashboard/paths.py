"""The paths of the dashboard. Every other path belongs to the API."""

from __future__ import annotations

import re
from hashlib import sha256
from importlib.resources import files
from urllib.parse import parse_qsl, urlencode

LOGIN, LOGOUT, STATIC = "/login", "/logout", "/_erstwhile/"
NICEGUI, SOCKET = "/_nicegui/", "/_nicegui_ws/"

# Pages and their titles; those of the navigation, in its order, have an icon of that name too
# (static/icons.svg).
PAGES = {
    "/": "Overview",
    "/conversations": "Conversations",
    "/conversations/channel": "Conversation",
    "/people": "People",
    "/people/person": "Person",
    "/search": "Search",
    "/recall": "Recall lab",
    "/notes": "Notes",
    "/report": "Report",
    "/review": "Review",
    "/import": "Import",
    "/settings": "Settings",
    "/me": "What is known about me",
}
NAVIGATION = tuple(path for path in PAGES if path.count("/") == 1 and path != "/me")
DOWNLOADS = ("/downloads/",)  # files that a page offers
EXPORT = "/downloads/export"
PLACES = "/downloads/places"
UPLOAD = "/uploads/import"
FIRST = 4  # places of the navigation that a phone shows; the others are behind "More"
OWN = ("/me", EXPORT)  # all that there is for whoever has a link to what is known about them

_SECRETS = ("key", "api_key", "apikey", "token", "access_token", "authorization", "password")
_KEY = re.compile(r"\ber_[0-9a-z]{12}|\bsk-")


def ours(path: str) -> bool:
    exact = (*PAGES, LOGIN, LOGOUT, UPLOAD, "/favicon.ico")
    return path in exact or path.startswith((STATIC, NICEGUI, SOCKET, *DOWNLOADS))


def local(path: str) -> str:
    """Return a path to go to after signing in: one of our pages, or the first. A key in it is left out: addresses are kept
    in histories and logs."""
    page, _, query = path.partition("?")
    if page not in PAGES or "\\" in path:
        return "/"
    given = parse_qsl(query, keep_blank_values=True)
    return url(page, **{name: value for name, value in given if not _is_secret(name, value)})


def _is_secret(name: str, value: str) -> bool:
    return name.casefold() in _SECRETS or any(_KEY.search(each) for each in (name, value))


def url(path: str, **values: str | int | None) -> str:
    given = {name: value for name, value in values.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def _stamp() -> str:
    """Return a stamp that changes with the files in static/, so that browsers may cache them for good."""
    static = files("erstwhile.dashboard").joinpath("static")
    found = sorted(static.iterdir(), key=lambda each: each.name)
    return sha256(b"".join(each.read_bytes() for each in found)).hexdigest()[:12]


STAMP = _stamp()


def static(name: str) -> str:
    return f"{STATIC}{STAMP}/{name}"
