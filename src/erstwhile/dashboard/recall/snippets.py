"""A question of the Recall lab as code to copy: Python, and a shell command."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

from erstwhile.client import paths

KEY = "ERSTWHILE_KEY"  # the variable that a key is read from: no key is ever written out


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """The parameters of a context as they were typed; "" and None are the space's defaults."""

    space: str
    channel: str
    query: str = ""
    person: str = ""
    recipe: str = ""
    budget: int | None = None
    scope: str = ""

    @property
    def options(self) -> dict[str, Any]:
        """The parameters that were chosen."""
        every = {"person": self.person, "budget": self.budget, "recipe": self.recipe, "scope": self.scope}
        return {name: value for name, value in every.items() if value not in ("", None)}


def python(asked: ContextQuery, url: str, *, keyed: bool) -> str:
    """`keyed`: the server wants a key."""
    opened = [repr(url), *([f'key=os.environ["{KEY}"]'] if keyed else []), f"space={asked.space!r}"]
    given = [repr(asked.query), *(f"{name}={value!r}" for name, value in asked.options.items())]
    return "\n".join(
        [
            *(["import os", ""] if keyed else []),
            "import erstwhile",
            "",
            f"with erstwhile.connect_sync({', '.join(opened)}) as memory:",
            f"    chat = memory.channel({asked.channel!r})",
            "    context = chat.context(",
            *(f"        {each}," for each in given),
            "    )",
            "    print(context.text)",
        ]
    )


def curl(asked: ContextQuery, url: str, *, keyed: bool) -> str:
    """The question is in the body, where no shell and no URL can misread it."""
    path = paths.path("spaces", asked.space, "channels", asked.channel, "context")
    dots = {asked.space, asked.channel} & {".", ".."}  # curl would take these for steps up the path
    body = {**({"query": asked.query} if asked.query else {}), **asked.options}
    lines = [
        f"curl -sS{' --path-as-is' if dots else ''} {shlex.quote(url.rstrip('/') + path)}",
        *([f'-H "Authorization: Bearer ${KEY}"'] if keyed else []),
        "-H 'Content-Type: application/json'",
        f"--data-raw {shlex.quote(_json(body))}",
    ]
    return " \\\n  ".join(lines)


def _json(body: dict[str, Any]) -> str:
    """JSON as people write it; invisible characters are escaped."""
    return "".join(
        each if each.isprintable() else json.dumps(each)[1:-1] for each in json.dumps(body, ensure_ascii=False)
    )
