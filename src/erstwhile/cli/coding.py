"""Memory for coding agents: the plugin of Claude Code, Codex and Cursor."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from erstwhile.base.errors import Error, InvalidInput
from erstwhile.cli import output
from erstwhile.cli.options import group

coding = group()

Host = Annotated[str, typer.Argument(metavar="AGENT", help="claude-code, codex or cursor.")]


class PluginError(Error):
    """A coding agent refused the plugin."""


@coding.command("install")
def install(
    host: Host,
    url: Annotated[str, typer.Option(help="The server.", metavar="URL")] = "http://127.0.0.1:8765",
    key: Annotated[str, "A key of the space; - reads it from stdin."] = "",
    space: Annotated[str, "The space."] = "default",
    person: Annotated[str, "Who you are. Default: your user name."] = "",
) -> None:
    """Install the plugin: hooks that recall and store, and the MCP tools."""
    from erstwhile_coding.install import ServerAddress
    from erstwhile_coding.install import install as install_plugin

    with _plugin(host):
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(f"{url!r} is not an address. Use http://… or https://….")
        key = sys.stdin.readline().strip() if key == "-" else key
        address = ServerAddress(url.rstrip("/"), key, space, person or getpass.getuser())
        for line in install_plugin(host, address):
            output.note(line)


@coding.command("remove")
def remove(host: Host) -> None:
    """Remove the plugin. What was remembered stays."""
    from erstwhile_coding.install import remove as remove_plugin

    with _plugin(host):
        for line in remove_plugin(host):
            output.note(line)


@contextmanager
def _plugin(host: str) -> Iterator[None]:
    """Check the name of an agent, and report what it refuses."""
    from erstwhile_coding.install import HOSTS, NotInstalled

    if host not in HOSTS:
        raise InvalidInput(f"Unknown agent {host!r}. Use {', '.join(HOSTS[:-1])} or {HOSTS[-1]}.")
    try:
        yield
    except NotInstalled as refused:
        raise PluginError(str(refused)) from None
