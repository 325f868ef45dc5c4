"""Compile the ranking when the package is built or installed, also for an editable install: `src/erstwhile/compiled`.

With the C compiler in `CC` or `cc`. Where there is none, and with `CC=zig`, it is that of the package `ziglang`, so that a
machine with Python and nothing else builds it too. A wheel serves every Python 3 of its platform, because the library
doesn't use Python's API; one that zig has built serves every Linux with glibc 2.17 or later.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("src/erstwhile/compiled")
NAME = "ranking.library"  # on every system: of a file that ends with .so Python believes that it is a module
# The same sums on every processor (no fused multiplication) and the same bytes wherever it is built.
FLAGS = ("-O3", "-std=c11", "-shared", "-fvisibility=hidden", "-ffp-contract=off", "-g0", "-Wall", "-Wextra", "-Werror")
GLIBC = (2, 17)


def find_compiler() -> list[str]:
    """Return the command of a C compiler; an empty one where zig's is used."""
    named = shlex.split(os.environ.get("CC", ""))
    if named:
        return [] if named == ["zig"] else named
    found = (shutil.which(name) for name in ("cc", "gcc", "clang"))
    return next(([path] for path in found if path), [])


def zig() -> list[str]:
    """Return the command of zig's C compiler, which builds for an old glibc."""
    if importlib.util.find_spec("ziglang") is None:
        raise RuntimeError("erstwhile needs a C compiler to be built: install one, or `pip install ziglang`.")
    words = [sys.executable, "-m", "ziglang", "cc"]
    if is_glibc():
        words += ["-target", f"{platform.machine()}-linux-gnu.{GLIBC[0]}.{GLIBC[1]}"]
    return words


def is_glibc() -> bool:
    return sys.platform == "linux" and platform.libc_ver()[0] == "glibc"


def tag(*, by_zig: bool) -> str:
    """Return the tag of a wheel."""
    name = sysconfig.get_platform()
    if by_zig and is_glibc():
        name = f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{platform.machine()}"
    return f"py3-none-{name.replace('-', '_').replace('.', '_')}"


def build(root: Path, compiler: list[str]) -> None:
    """Compile the library in a folder of its own, so that no path gets into it, and put it in its place when it is whole:
    a process may use the one of before."""
    folder = root / FOLDER
    with tempfile.TemporaryDirectory(prefix="building-", dir=folder) as place:
        for path in folder.glob("*.[ch]"):
            shutil.copyfile(path, Path(place, path.name))
        sources = sorted(path.name for path in Path(place).glob("*.c"))
        flags, libraries = (FLAGS, ()) if sys.platform == "win32" else ((*FLAGS, "-fPIC"), ("-lm",))
        subprocess.run([*compiler, *flags, "-o", NAME, *sources, *libraries], cwd=place, check=True)
        Path(place, NAME).replace(folder / NAME)


class RankingHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        return [] if find_compiler() else ["ziglang>=0.13"]

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        compiler = find_compiler()
        build(Path(self.root), compiler or zig())
        build_data["pure_python"] = False
        build_data["tag"] = tag(by_zig=not compiler)
