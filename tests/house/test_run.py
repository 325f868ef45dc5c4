"""What `make test` does with tests that failed: it runs them again, alone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import run


@pytest.mark.parametrize(("says", "passes"), [("assert True", True), ("assert False", False)])
def test_what_failed_counts_by_how_it_ends_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, says: str, passes: bool
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the plugins of libraries take seconds
    file = tmp_path / "test_one.py"
    file.write_text(f"def test_one():\n    {says}\n")
    node = f"{file}::test_one"
    ended = run.run_again(SimpleNamespace(failed={node: None}, closing="1 failed"))  # type: ignore[arg-type]
    printed = capfd.readouterr().out
    assert (ended == 0) is passes
    assert ("Unsteady" in printed) is passes
    assert node in printed or not passes
    assert "1 failed" in printed, "the suite's own counts stay visible"
