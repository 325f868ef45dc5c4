"""The list of formats, and how a source's format is found."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Final, cast

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.model import Format, ImportSource

# Each name with the module that has its FORMAT, in the order in which they are tried.
_HOMES: Final = {
    "erstwhile": "own_export",
    "chatgpt": "chatgpt",
    "claude": "claude",
    "slack": "slack",
    "telegram": "telegram",
    "discord": "discord",
    "whatsapp": "whatsapp",
    "jsonl": "jsonl",
}
NAMES: Final = tuple(name for name, home in _HOMES.items() if find_spec(f"{__package__}.{home}") is not None)
_HINTS: Final = {
    "erstwhile": "a zip of `erstwhile export` (manifest.json)",
    "chatgpt": "ChatGPT's export (conversations.json)",
    "claude": "Claude's export (conversations.json)",
    "slack": "Slack's export (channels.json and a folder for each channel)",
    "telegram": "Telegram's JSON (result.json)",
    "discord": "JSON of DiscordChatExporter",
    "whatsapp": "WhatsApp's text (_chat.txt)",
    "jsonl": "one message per line (.jsonl, .ndjson)",
}


def named(name: str) -> Format:
    if name not in NAMES:
        raise InvalidInput(f"There is no format {name!r}. Use {', '.join(NAMES)} or auto.")
    return cast(Format, import_module(f"{__package__}.{_HOMES[name]}").FORMAT)


def choose(name: str, source: ImportSource) -> Format:
    """Return the format of that name; for `auto`, the only one that recognises the source."""
    if name != "auto":
        return named(name)
    found = [each for each in map(named, NAMES) if each.recognises(source)]
    if not found:
        known = "\n".join(f"  {name}: {_HINTS[name]}" for name in NAMES)
        raise InvalidInput(f"{source.name} is in no known format. Known formats:\n{known}\nName one with --format.")
    if len(found) > 1 and found[0].name != "erstwhile":
        names = ", ".join(each.name for each in found)
        raise InvalidInput(
            f"{source.name} holds files of several kinds ({names}). Import it once for each, with --format; "
            "the others are left out then."
        )
    return found[0]
