"""Run the whole suite, with mypy beside it. Tests that fail are run again, alone and one at a time.

A test that then passes was disturbed by what ran beside it: the run passes, and says which tests those were. More than
a few failures have another cause, and nothing is run again.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from turns import TURNS

PROCESSES = 5  # on two cores: they also wait for browsers, for databases and for timers; others with `--processes`
MOST_AGAIN = 10
MYPY = Path(sys.executable).with_name("mypy")


class Watch:
    """A plugin of pytest that notes what failed, and shows what mypy says before the closing line."""

    def __init__(self) -> None:
        self.failed: dict[str, None] = {}
        self.types_fail = False
        self.closing = ""
        self._types = subprocess.Popen([MYPY], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = None

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        said, _ = self._types.communicate()
        self.types_fail = self._types.returncode != 0
        terminalreporter.section("mypy", red=self.types_fail)
        terminalreporter.write(said)
        self.closing = ", ".join(words for words, _ in terminalreporter.build_summary_stats_line()[0])

    def end(self) -> None:
        """End mypy, where pytest ended before it came to the summary."""
        if self._types.poll() is None:
            self._types.kill()
            self._types.communicate()


def main() -> int:
    watch, this = Watch(), os.getpid()
    try:
        os.environ[TURNS] = "1"
        ended = pytest.main(["--processes", str(PROCESSES), *sys.argv[1:]], plugins=[watch])
    finally:
        watch.end()
        del os.environ[TURNS]
    if os.getpid() != this:  # one of those that fork
        return int(ended)
    if ended == pytest.ExitCode.TESTS_FAILED and 0 < len(watch.failed) <= MOST_AGAIN:
        ended = run_again(watch)
    return int(ended) or int(watch.types_fail)


def run_again(watch: Watch) -> int:
    print(f"\n{len(watch.failed)} failed. Again, alone and one at a time:", flush=True)
    ended = max(
        subprocess.run([sys.executable, "-m", "pytest", "-q", each], check=False).returncode for each in watch.failed
    )
    if ended:
        print(f"\nAlso when run alone, not all pass. The whole suite: {watch.closing}")
        return ended
    print("\nUnsteady: passed only when run alone:", *watch.failed, sep="\n  ")
    print(f"The whole suite: {watch.closing}; all that failed passed when run alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
