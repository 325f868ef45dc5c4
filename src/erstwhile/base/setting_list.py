"""List every setting with its value (secrets only as set or not) and where it comes from."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from erstwhile.base.addresses import without_password
from erstwhile.base.records import dataclass
from erstwhile.base.setting_fields import Secret
from erstwhile.base.settings import FILE, Settings, described, read_file, variable


@dataclass(frozen=True, slots=True)
class Setting:
    """`source`: "given" in code or on the command line, "environment", "erstwhile.toml" or
    "default"."""

    name: str
    value: Any
    source: str
    description: str

    @property
    def variable(self) -> str:
        return variable(self.name)


def list_settings(settings: Settings) -> list[Setting]:
    written = read_file()
    return [
        Setting(name, _shown(settings, name), _source(settings, name, written), field.description)
        for name, field in described().items()
    ]


def _shown(settings: Settings, name: str) -> Any:
    value = attrgetter(name)(settings)
    if isinstance(value, Secret):
        return "(set)" if value.get_secret_value() else ""
    return without_password(value) if name in ("database", "base_url", "embedder_url") else value


def _source(settings: Settings, name: str, written: dict[str, Any]) -> str:
    group, _, key = name.partition(".")
    whole = os.environ.get(variable(group)) if key else None  # one variable sets a group as JSON
    if _names(settings.given, group, key):
        return "given"
    if os.environ.get(variable(name)) or (whole and _names({group: json.loads(whole)}, group, key)):
        return "environment"
    return FILE if _names(written, group, key) else "default"


def _names(values: Mapping[str, Any], group: str, key: str) -> bool:
    """Return whether the values have this setting; a group may be given in part or as a whole."""
    if group not in values:
        return False
    return not key or not isinstance(values[group], dict) or key in values[group]
