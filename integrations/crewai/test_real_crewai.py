"""A real crew with a model on loopback: what one run finds out, the next one knows."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import erstwhile
from erstwhile.testing import ModelServer

FOLDER = Path(__file__).parent
PYTHON = FOLDER.parents[1] / ".venv-integrations" / "crewai" / "bin" / "python"


PAGE = FOLDER.parents[1] / "docs" / "integrations" / "crewai.md"
ANSWER = "The ferry to Ulleungdo leaves at seven."


def run(folder: Path, model: ModelServer, *words: str | Path) -> list[str]:
    """The lines that it prints."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": str(FOLDER),
        "CREWAI_DISABLE_TELEMETRY": "true",
        "CREWAI_STORAGE_DIR": str(folder / "crewai"),
        "OTEL_SDK_DISABLED": "true",
        "OPENAI_BASE_URL": model.base_url,
        "OPENAI_API_KEY": "none",
        "ERSTWHILE_EMBEDDER": "none",
        "NO_PROXY": "127.0.0.1",
    }
    done = subprocess.run(
        [PYTHON, *words], input="reset\n", env=environment, cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [line for line in done.stdout.splitlines() if line.strip()]


def test_what_one_run_finds_out_the_next_one_knows(tmp_path: Path) -> None:
    with ModelServer(ANSWER) as model:
        lines = run(tmp_path, model, FOLDER / "crew.py", model.base_url, tmp_path / "crew.db")
        prompts = [call.prompt for call in model.calls]
    assert lines[0] == lines[1] == ANSWER
    assert int(lines[2]) >= 1
    assert lines[3] == "0", "erased"
    first, second = prompts[0], prompts[-1]
    assert "leaves at seven" not in first
    assert "leaves at seven" in second, "the second run was told what the first found out"
    with erstwhile.open_sync(str(tmp_path / "crew.db")) as memory:
        assert memory.channel("harbour").size() == 0


def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    with ModelServer(ANSWER) as model:
        assert run(tmp_path, model, "-c", example) == [ANSWER]
    with erstwhile.open_sync(str(tmp_path / "crew.db")) as memory:
        assert memory.channel("harbour").size() == 1
