"""Commands for this server, database and space, ready to be copied."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

_HERE = "default"


@dataclass(frozen=True, slots=True)
class ExampleCommands:
    """`keyed`: calls need a key. `database` is empty for those who may not know where it is."""

    address: str
    database: str
    space: str
    keyed: bool

    def say(self) -> str:
        """Add a message over HTTP."""
        said = {"role": "user", "text": "I moved to Busan last week", "person": "alice"}
        return self._curl(f"channels/{quote('hello', safe='')}/messages", said)

    def remember(self) -> str:
        """Make a first memory, without a conversation."""
        return self._curl("people/alice/remember", {"fact": "Alice lives in Busan", "by": "alice"})

    def bring(self) -> str:
        return f"erstwhile import chat.jsonl{self._options()}"

    def make_key(self) -> str:
        return f"erstwhile keys create --admin --name me --database {self._database()}"

    def _curl(self, path: str, body: dict[str, str]) -> str:
        key = ' -H "Authorization: Bearer $KEY"' if self.keyed else ""
        where = f"{self.address}/v1/spaces/{quote(self.space, safe='')}/{path}"
        return (
            f"curl -s {shlex.quote(where)}{key} -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(body))}"
        )

    def _options(self) -> str:
        space = "" if self.space == _HERE else f" --space {shlex.quote(self.space)}"
        return f" --database {self._database()}{space}"

    def _database(self) -> str:
        """The full path of a file.

        The URL of a database server may hold a password and is not shown.
        """
        if not self.database or self.database.startswith(("postgres://", "postgresql://")):
            return '"$ERSTWHILE_DATABASE"'
        return shlex.quote(str(Path(self.database.removeprefix("sqlite:///")).absolute()))
