"""The README's picture: the real demo in a terminal, as SVG. `python -m bench.picture docs/demo.svg`."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 118


def recorded() -> str:
    """What `erstwhile demo` prints to a terminal; its progress bars go to stderr and are left out."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(WIDTH), "TERM": "xterm-256color", "ERSTWHILE_MODEL": "extractive"}
    process = subprocess.Popen(
        [sys.executable, "-m", "erstwhile", "demo"], stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    )
    os.close(theirs)
    printed = b""
    while piece := _read(ours):
        printed += piece
    os.close(ours)
    if process.wait():
        raise SystemExit("the demo failed")
    return printed.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def picture(printed: str, lines: int = 46) -> str:
    shown = printed.replace("\r\n", "\n").split("\n")
    start = next(index for index, line in enumerate(shown) if "Key Facts to Remember" in line and "╭" in line)
    asked = next(index for index, line in enumerate(shown) if "living now?" in line and "╭" not in line)
    end = next(index for index in range(start, len(shown)) if "╰" in shown[index]) + 1
    room = shown[asked : asked + lines - 8 - (end - start)]
    empty = [index for index, line in enumerate(room) if not re.sub(r"\x1b\[[\d;]*m", "", line).strip()]
    chosen = [*shown[:6], *shown[start:end], "", *room[: empty[-1]]]  # no question without its answer
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(Text.from_ansi("\n".join(chosen)))
    drawn = console.export_svg(title="erstwhile demo")
    drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL)  # no font is fetched from anywhere
    drawn = re.sub(r"<!--.*?-->\s*", "", drawn, flags=re.DOTALL)
    return re.sub(r"\n\s*\n", "\n", re.sub(r"terminal-\d+", "terminal", drawn)) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(recorded()))
