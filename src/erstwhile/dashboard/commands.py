"""Commands that a page shows, complete: with the address, the database and the space they are
for."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from urllib.parse import quote

from nicegui import html

from erstwhile.base.records import dataclass
from erstwhile.dashboard import parts
from erstwhile.dashboard.viewer import Backend, Viewer

_HERE = "default"
_QUOTED = re.compile(r"`(erstwhile [^`]+)`")
_SERVERS = ("keys", "worker", "serve", "doctor")  # commands that are about no space


@dataclass(frozen=True, slots=True)
class ExampleCommands:
    """`keyed`: calls need a key. `database` is empty for those who may not know where it is."""

    address: str
    database: str
    space: str
    keyed: bool

    @classmethod
    def of(cls, viewer: Viewer) -> ExampleCommands:
        database = Backend.memory.settings.database if viewer.caller.admin else ""
        address = str(viewer.request.base_url).rstrip("/")
        return cls(address, database, viewer.space, bool(viewer.caller.key))

    def say(self) -> str:
        """Add a message over HTTP."""
        said = {"role": "user", "text": "I moved to Busan last week", "person": "alice"}
        return self._curl(f"channels/{quote('hello', safe='')}/messages", said)

    def remember(self) -> str:
        """Make a first memory, without a conversation."""
        return self._curl("people/alice/remember", {"fact": "Alice lives in Busan", "by": "alice"})

    def run(self, words: str) -> str:
        """Return a command of the terminal, with the options that lead it here."""
        command = words.removeprefix("erstwhile ")
        about_space = command.split()[0] not in _SERVERS and self.space != _HERE
        space = f" --space {shlex.quote(self.space)}" if about_space else ""
        return f"erstwhile {words.removeprefix('erstwhile ')} --database {self._database()}{space}"

    def completed(self, words: str) -> str:
        """Return a text with the commands in it (`erstwhile …`) completed."""
        return _QUOTED.sub(lambda found: f"`{self.run(found[1])}`", words)

    def _curl(self, path: str, body: dict[str, str]) -> str:
        key = ' -H "Authorization: Bearer $KEY"' if self.keyed else ""
        where = shlex.quote(f"{self.address}/v1/spaces/{quote(self.space, safe='')}/{path}")
        return f"curl -s {where}{key} -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(body))}"

    def _database(self) -> str:
        """Return the full path of a file, but no URL, which may hold a password."""
        if not self.database or self.database.startswith(("postgres://", "postgresql://")):
            return '"$ERSTWHILE_DATABASE"'
        return shlex.quote(str(Path(self.database.removeprefix("sqlite:///")).absolute()))


def example(viewer: Viewer, words: str) -> str:
    return ExampleCommands.of(viewer).run(words)


def nothing_yet(viewer: Viewer, words: str) -> None:
    """Say that a space is empty, and lead to its first messages."""
    with html.div().classes("empty"):
        html.p(words)
        if viewer.may_write:
            parts.link("Import a conversation", viewer.url("/import"), "button primary")
        parts.command(example(viewer, 'add hello user "I moved to Busan last week" --person alice'))
