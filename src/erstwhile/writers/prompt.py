"""Prompts: `.md` files beside their step, with a head (version, role) and the instructions."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from erstwhile.base.errors import SettingsError
from erstwhile.base.files import folder
from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass

Role = Literal["light", "strong"]

CUSTOM = "custom-"  # prefix of the version of a custom prompt


@dataclass(frozen=True, slots=True)
class Prompt:
    """`name` is also the task a model can be chosen for; `role` picks one of the two default
    models. A prompt that spaces and people can replace has a `title` (the memories it writes) and
    says what it is `about`. `answer`: what the last line of a request asks for."""

    name: str
    version: str
    role: Role
    instructions: str
    title: str = ""
    about: str = ""
    answer: str = ""

    @property
    def custom(self) -> bool:
        return self.version.startswith(CUSTOM)


_HEAD = late_pattern(r"\A---\n(?P<head>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)


def parse(name: str, source: str) -> Prompt:
    match = _HEAD.match(source)
    if match is None:
        raise SettingsError(
            f"The prompt {name!r} needs a head: '---', 'version: …', 'role: light|strong', '---'."
        )
    lines = [line.split(":", 1) for line in match["head"].splitlines() if ":" in line]
    head = {key: value.strip() for key, value in lines}
    role = head.get("role", "light")
    if role not in ("light", "strong"):
        raise SettingsError(f"The prompt {name!r} has role {role!r}; use light or strong.")
    return Prompt(
        name=name,
        version=head.get("version", "1"),
        role="strong" if role == "strong" else "light",
        instructions=match["body"].strip(),
        **{key: head.get(key, "") for key in ("title", "about", "answer")},
    )


@cache
def load(package: str, name: str) -> Prompt:
    return parse(name, folder(package).joinpath(f"{name}.md").read_text(encoding="utf-8"))
