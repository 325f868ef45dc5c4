"""What starting and installing cost. `python -m bench.start`: CPU seconds (user and system) of a whole process, best of
seven, and the modules of ours it imports. `--install` also builds the package, installs it into an empty environment,
and counts what came along.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import venv
from datetime import UTC, datetime
from pathlib import Path

ADD = """
import asyncio, erstwhile
async def main():
    async with erstwhile.open("start.db") as memory:
        await memory.channel("c").add("user", "hello from Busan")
asyncio.run(main())
"""
COMMAND = """
import sys
sys.argv = ["erstwhile", *{arguments!r}]
from erstwhile.cli import run
run()
"""
CASES = {
    "a bare interpreter": "pass",
    "import erstwhile": "import erstwhile",
    "erstwhile.open, one add, close": ADD,
    "erstwhile --help": COMMAND.format(arguments=["--help"]),
    "erstwhile search, 40 messages with vectors": COMMAND.format(
        arguments=["search", "the kiln in Busan", "-d", "search.db"]
    ),
}
FILL = """
import erstwhile
with erstwhile.open_sync("search.db", worker=False) as memory:
    for day in range(1, 41):
        memory.channel("kitchen").add("user", f"On day {day} I paid {day}0,000 won for the kiln in Busan", person="jun")
    memory.settle()
"""
COUNT = """
import os
from importlib.metadata import distributions
found = {each.metadata["Name"]: each for each in distributions() if each.metadata["Name"] not in ("pip", "setuptools")}
sizes = {
    name: sum(os.path.getsize(each.locate_file(file)) for file in each.files or () if each.locate_file(file).exists())
    for name, each in found.items()
}
for name in sorted(sizes, key=sizes.get, reverse=True):
    print(f"| {name} | {sizes[name] / 1e6:.1f} |")
print(f"| {len(sizes)} packages | {sum(sizes.values()) / 1e6:.0f} |")
"""


def cpu(code: str, folder: str) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-c", code]
        subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(7))


def modules(code: str, folder: str) -> int:
    told = "lambda: sys.stderr.write(str(sum(each.startswith('erstwhile') for each in sys.modules)))"
    counted = f"import atexit, sys; atexit.register({told})\n{code}"
    done = subprocess.run([sys.executable, "-c", counted], check=True, cwd=folder, capture_output=True, text=True)
    return int(done.stderr)


def start() -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", FILL], check=True, cwd=folder)
        print(f"\n### Starting, {datetime.now(UTC):%Y-%m-%d}\n\n| what | CPU seconds | our modules |\n|---|---|---|")
        for name, code in CASES.items():
            print(f"| {name} | {cpu(code, folder):.3f} | {modules(code, folder)} |")


def install() -> None:
    """In an environment of its own, with pip's usual package index."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python, repository = Path(folder, "bin", "python"), Path(__file__).parents[1]
        subprocess.run([python, "-m", "pip", "install", "-q", repository], check=True)
        print("\n### Installing, without pip and setuptools\n\n| package | MB |\n|---|---|")
        subprocess.run([python, "-c", COUNT], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true")
    wanted = parser.parse_args()
    start()
    if wanted.install:
        install()
