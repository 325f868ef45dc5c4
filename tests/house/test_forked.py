"""The processes that share the tests of `make test` (tests/forked.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
FILE = """
import os, pytest, time
END = time.monotonic() + 60
def others_have_begun():
    while len({line.split()[0] for line in open("ran")}) < 2 and time.monotonic() < END:
        time.sleep(0.01)
def wait_for(file):
    while not os.path.exists(file) and time.monotonic() < END:
        time.sleep(0.01)
@pytest.fixture(scope="module")
def opened():
    yield
    with open("closed", "a") as file:
        file.write("closed\\n")
@pytest.mark.parametrize("number", range(20))
def test_it(number, opened):
    print("said by", number)
    with open("ran", "a") as file:
        file.write(f"{os.getpid()} {number}\\n")
    {last}
"""


def run(folder: Path, last: str, processes: int = 3) -> tuple[int, str, list[list[str]]]:
    (folder / "test_some.py").write_text(FILE.replace("{last}", last))
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "pytest", "-p", "forked", "--processes", str(processes), "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, [line.split() for line in (folder / "ran").read_text().splitlines()]


def test_each_test_runs_once_in_one_of_the_processes(tmp_path: Path) -> None:
    code, said, ran = run(tmp_path, "others_have_begun()")
    assert (code, "20 passed" in said) == (0, True), said
    assert sorted(int(number) for _, number in ran) == list(range(20))
    assert 1 < len({process for process, _ in ran}) <= 3
    closed = (tmp_path / "closed").read_text().count("closed")
    assert closed == len({process for process, _ in ran}), "once in each process"


def test_what_fails_is_shown_with_what_it_printed(tmp_path: Path) -> None:
    code, said, _ = run(tmp_path, "assert number != 7")
    assert (code, "1 failed, 19 passed" in said) == (1, True), said
    assert "said by 7" in said
    assert "said by 8" not in said


def test_a_process_that_dies_fails_its_test_and_no_other(tmp_path: Path) -> None:
    code, said, ran = run(tmp_path, "number != 7 or os._exit(5)")
    assert (code, "1 failed, 19 passed" in said) == (1, True), said
    assert "the process that ran it ended with 5" in said
    assert len(ran) == 20


def test_tests_that_nobody_is_left_to_run_fail(tmp_path: Path) -> None:
    code, said, ran = run(tmp_path, "number % 10 or os._exit(5)", processes=2)
    assert (code, "20 failed" in said) == (1, True), said
    assert "no process was left to run it" in said
    assert len(ran) == 2


def test_the_first_failure_can_end_the_run(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -x\n")
    code, said, ran = run(tmp_path, "assert number; wait_for('closed')", processes=2)
    assert (code, "1 failed" in said) == (1, True), said
    assert len(ran) < 10, "the other process ends with it"
