"""The paths of the dashboard. Every other path belongs to the API."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from urllib.parse import urlencode

LOGIN, LOGOUT, STATIC = "/login", "/logout", "/_erstwhile/"
NICEGUI, SOCKET = "/_nicegui/", "/_nicegui_ws/"

# Pages and their titles; those with a place in the navigation have an icon of that name too (static/icons.svg).
PAGES = {
    "/": "Overview",
    "/conversations": "Conversations",
    "/conversations/channel": "Conversation",
    "/people": "People",
    "/people/person": "Person",
    "/recall": "Recall lab",
    "/search": "Search",
    "/notes": "Notes",
    "/report": "Report",
    "/review": "Review",
    "/settings": "Settings",
    "/me": "What is known about me",
}
NAVIGATION = ("/", "/conversations", "/people", "/recall", "/search", "/notes", "/report", "/review", "/settings")
DOWNLOADS = ("/downloads/",)  # files that a page offers
EXPORT = "/downloads/export"
OWN = ("/me", EXPORT)  # all that there is for whoever has a link to what is known about them


def ours(path: str) -> bool:
    return (
        path in PAGES
        or path in (LOGIN, LOGOUT, "/favicon.ico")
        or path.startswith((STATIC, NICEGUI, SOCKET, *DOWNLOADS))
    )


def local(path: str) -> str:
    """A path to go to after signing in: one of our pages, or the first."""
    return path if path.partition("?")[0] in PAGES and "\\" not in path else "/"


def url(path: str, **values: str | int | None) -> str:
    given = {name: value for name, value in values.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def _stamp() -> str:
    """A stamp that changes with the files in static/, so that browsers may cache them for good."""
    digest = sha256()
    for each in sorted(files("erstwhile.dashboard").joinpath("static").iterdir(), key=lambda each: each.name):
        digest.update(each.read_bytes())
    return digest.hexdigest()[:12]


STAMP = _stamp()


def static(name: str) -> str:
    return f"{STATIC}{STAMP}/{name}"
