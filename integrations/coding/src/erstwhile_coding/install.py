"""Install the plugin into Claude Code, Codex or Cursor, and remove it again.

Everything is written below the home folder. The key of the server is in `coding.json` and in the
address of the MCP server; both files can be read by their owner only.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HOSTS = ("claude-code", "codex", "cursor")
_MARKETPLACE = Path(__file__).parent / "marketplace"
_PLUGIN = "erstwhile@erstwhile"
_CURSOR_EVENTS = ("sessionStart", "beforeSubmitPrompt", "afterAgentResponse")
_SECONDS = 120

Json = dict[str, Any]


class NotInstalled(Exception):
    """The host refused, or a file of it is not as expected. The message says what to do."""


@dataclass(frozen=True)
class ServerAddress:
    """Where the memory is, and who speaks."""

    url: str = "http://127.0.0.1:8765"
    key: str = ""
    space: str = "default"
    person: str = ""


def install(host: str, address: ServerAddress, home: Path | None = None) -> list[str]:
    """Install the plugin into a host. Return what was done and what is left to do, in sentences."""
    home = home or Path.home()
    folder = home / ".erstwhile" / "coding"
    _write_private(home / ".erstwhile" / "coding.json", asdict(address))
    _copy_marketplace(folder, address)
    if host == "cursor":
        return _install_in_cursor(home, folder, address)
    program, steps, after = _commands(host, folder)
    found = shutil.which(program)
    if found is None:
        left = "\n".join(f"  {program} {' '.join(step)}" for step in steps)
        return [f"The plugin is in {folder}. {program} is not on the path; where it is, run:\n{left}", *after]
    for step in steps:
        _run([found, *step])
    return [f"Installed in {host}.", *after]


def remove(host: str, home: Path | None = None) -> list[str]:
    """Remove the plugin from a host. The memory stays."""
    home = home or Path.home()
    if host == "cursor":
        _edit(home / ".cursor" / "hooks.json", _without_our_hooks)
        _edit(home / ".cursor" / "mcp.json", _without_our_server)
        return ["Removed from cursor."]
    program = "claude" if host == "claude-code" else "codex"
    found = shutil.which(program)
    if found is None:
        raise NotInstalled(f"{program} is not on the path.")
    _run([found, "plugin", "uninstall" if host == "claude-code" else "remove", _PLUGIN])
    return [f"Removed from {host}."]


def _commands(host: str, folder: Path) -> tuple[str, list[list[str]], list[str]]:
    add = ["plugin", "marketplace", "add", str(folder)]
    if host == "claude-code":
        return "claude", [add, ["plugin", "install", _PLUGIN]], []
    return "codex", [add, ["plugin", "add", _PLUGIN]], ["In Codex, type /hooks and trust the three hooks of erstwhile."]


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise NotInstalled(f"`{' '.join(words)}` failed: {said}")


def _copy_marketplace(folder: Path, address: ServerAddress) -> None:
    """Copy the plugin, with the address of the server and with this Python in it."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_MARKETPLACE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    _write_private(folder / "plugin" / ".mcp.json", {"mcpServers": {"erstwhile": _mcp_server(address)}})
    hooks = folder / "plugin" / "hooks" / "hooks.json"
    python = json.dumps(f'"{sys.executable}"')[1:-1]
    hooks.write_text(hooks.read_text(encoding="utf-8").replace("python3 ", f"{python} "), encoding="utf-8")


def _mcp_server(address: ServerAddress) -> Json:
    named = {
        "Authorization": address.key and f"Bearer {address.key}",
        "X-Erstwhile-Space": "" if address.key else address.space,  # a key decides the space
        "X-Erstwhile-Person": address.person,
    }
    headers = {name: value for name, value in named.items() if value}
    url = f"{address.url.rstrip('/')}/mcp"
    # Claude Code reads `headers`, Codex `http_headers`; each ignores the other.
    return {"type": "http", "url": url, "headers": headers, "http_headers": headers}


# Cursor has no command for this: its two files are edited, and what else is in them stays.


def _install_in_cursor(home: Path, folder: Path, address: ServerAddress) -> list[str]:
    command = f'"{sys.executable}" "{folder / "plugin" / "hooks" / "memory_hook.py"}"'

    def with_hooks(found: Json) -> Json:
        hooks = _without_our_hooks(found).get("hooks", {})
        ours = {name: [*hooks.get(name, []), {"command": command, "timeout": 10}] for name in _CURSOR_EVENTS}
        return {"version": 1, **found, "hooks": {**hooks, **ours}}

    def with_server(found: Json) -> Json:
        server = {name: value for name, value in _mcp_server(address).items() if name in ("url", "headers")}
        return {**found, "mcpServers": {**found.get("mcpServers", {}), "erstwhile": server}}

    _edit(home / ".cursor" / "hooks.json", with_hooks)
    _edit(home / ".cursor" / "mcp.json", with_server)
    return ["Installed in cursor. Restart it."]


def _without_our_hooks(found: Json) -> Json:
    hooks = {
        name: [each for each in entries if "memory_hook.py" not in str(each.get("command"))]
        for name, entries in found.get("hooks", {}).items()
    }
    return {**found, "hooks": {name: entries for name, entries in hooks.items() if entries}}


def _without_our_server(found: Json) -> Json:
    servers = {name: value for name, value in found.get("mcpServers", {}).items() if name != "erstwhile"}
    return {**found, "mcpServers": servers}


def _edit(path: Path, change: Any) -> None:
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        changed = change(found)
    except (ValueError, AttributeError, TypeError) as error:
        raise NotInstalled(f"{path} is not as Cursor writes it ({error}). Correct it, then try again.") from None
    _write_private(path, changed)


def _write_private(path: Path, content: Json) -> None:
    """Write a file that only its owner can read, completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with open(os.open(beside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2, ensure_ascii=False)
        file.write("\n")
    beside.replace(path)
