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
    models."""

    name: str
    version: str
    role: Role
    instructions: str

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
    head = dict(line.split(":", 1) for line in match["head"].splitlines() if ":" in line)
    role = head.get("role", "light").strip()
    if role not in ("light", "strong"):
        raise SettingsError(f"The prompt {name!r} has role {role!r}; use light or strong.")
    version = head.get("version", "1").strip()
    return Prompt(name, version, "strong" if role == "strong" else "light", match["body"].strip())


@cache
def load(package: str, name: str) -> Prompt:
    return parse(name, folder(package).joinpath(f"{name}.md").read_text(encoding="utf-8"))
