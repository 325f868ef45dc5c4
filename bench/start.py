"""What starting costs: CPU milliseconds over a bare interpreter, best of seven. `python -m bench.start`."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from datetime import date

CASES = {
    "import erstwhile": "import erstwhile",
    "erstwhile.open, one add, close": "import asyncio, erstwhile\n"
    "async def main():\n"
    "    async with erstwhile.open('start.db', worker=False) as memory:\n"
    "        await memory.channel('c').add('user', 'hello')\n"
    "asyncio.run(main())",
    "erstwhile --help": "import sys; sys.argv = ['erstwhile', '--help']; from erstwhile.cli import main; main()",
}


def cpu(code: str, folder: str) -> float:
    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000

    return min(once() for _ in range(7))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        bare = cpu("pass", folder)
        print(f"\n### Starting, {date.today()}, bare interpreter {bare:.0f} ms\n")  # noqa: DTZ011
        print("| what | CPU ms more than a bare interpreter |\n|---|---|")
        for name, code in CASES.items():
            print(f"| {name} | {cpu(code, folder) - bare:.0f} |")
