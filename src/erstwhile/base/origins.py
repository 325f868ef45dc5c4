"""Every setting as people may see it: its value, secrets only as set or not, and where the value comes from."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from erstwhile.base.settings import Settings

FILE = "erstwhile.toml"


@dataclass(frozen=True, slots=True)
class Setting:
    """`source`: "given" in code or on the command line, "environment", "erstwhile.toml" or "default"."""

    name: str
    value: Any
    source: str
    description: str

    @property
    def variable(self) -> str:
        return f"ERSTWHILE_{self.name.upper()}"


def listed(settings: Settings) -> list[Setting]:
    written = _written()
    return [
        Setting(name, _shown(settings, name), _source(settings, name, written), field.description or "")
        for name, field in Settings.model_fields.items()
    ]


def _shown(settings: Settings, name: str) -> Any:
    value = getattr(settings, name)
    if isinstance(value, SecretStr):
        return "(set)" if value.get_secret_value() else ""
    return _without_password(value) if name in ("database", "base_url", "embedder_url") else value


def _without_password(url: str) -> str:
    head, separator, tail = url.rpartition("@")
    return f"{head.rpartition(':')[0]}{separator}{tail}" if separator and head.count(":") > 1 else url


def _source(settings: Settings, name: str, written: dict[str, Any]) -> str:
    if name in settings.given:
        return "given"
    if os.environ.get(f"ERSTWHILE_{name.upper()}"):
        return "environment"
    return FILE if name in written else "default"


def _written() -> dict[str, Any]:
    file = Path(FILE)
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
