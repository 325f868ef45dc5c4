"""Install with uv: `python deploy/install.py --editable '.[dev]'`, in the environment to install into; words as pip's.

uv does it in a fraction of pip's time. It doesn't read pip's configuration, so it is told the indexes that pip uses. Where
pip is configured in another way, where there is no uv, and where uv fails, pip does it.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
SEPARATORS = {"UV_DEFAULT_INDEX": "", "UV_INDEX": " ", "UV_FIND_LINKS": ",", "SSL_CERT_FILE": ""}
SAME_IN_UV = dict(zip(("index-url", "extra-index-url", "find-links", "cert"), SEPARATORS, strict=True))
WITHOUT_MEANING = {
    "default-timeout",
    "timeout",
    "disable-pip-version-check",
    "quiet",
    "progress-bar",
    "root-user-action",
}


def environment_of_uv(pip_config: str) -> dict[str, str] | None:
    """Return what `pip config list` says as variables for uv. None if uv can't be told all of it."""
    found = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # as pip does: the newest version of all indexes
    for line in sorted(pip_config.splitlines(), key=lambda line: line.startswith(":env:")):  # which comes first in pip
        name, _, value = line.partition("=")
        setting = name.rpartition(".")[2]
        if setting in SAME_IN_UV:
            variable = SAME_IN_UV[setting]
            found[variable] = SEPARATORS[variable].join(str(ast.literal_eval(value)).split())
        elif setting not in WITHOUT_MEANING:
            return None
    return found


def with_uv(words: list[str]) -> bool:
    config = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=True).stdout
    told = environment_of_uv(config)
    if told is None or subprocess.run([*PIP, "install", "--quiet", "uv"], check=False).returncode:
        return False
    uv = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--quiet",
        "--compile-bytecode",
        "--python",
        sys.executable,
        *words,
    ]
    return subprocess.run(uv, env={**os.environ, **told}, check=False).returncode == 0


def main(words: list[str]) -> int:
    if with_uv(words):
        return 0
    return subprocess.run([*PIP, "install", "--quiet", *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
