"""A real crew with a model on loopback: what one run finds out, the next one knows."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import erstwhile
from erstwhile.testing import ModelServer

FOLDER = Path(__file__).parent
PYTHON = FOLDER.parents[1] / ".venv-integrations" / "crewai" / "bin" / "python"


def test_what_one_run_finds_out_the_next_one_knows(tmp_path: Path) -> None:
    with ModelServer("The ferry to Ulleungdo leaves at seven.") as model:
        done = subprocess.run(
            [PYTHON, FOLDER / "crew.py", model.base_url, tmp_path / "crew.db"],
            input="reset\n",
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "CREWAI_DISABLE_TELEMETRY": "true",
                "CREWAI_STORAGE_DIR": str(tmp_path / "crewai"),
                "OTEL_SDK_DISABLED": "true",
                "ERSTWHILE_EMBEDDER": "none",
                "NO_PROXY": "127.0.0.1",
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        prompts = [call.prompt for call in model.calls]
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    assert lines[0] == lines[1] == "The ferry to Ulleungdo leaves at seven."
    assert int(lines[2]) >= 1
    assert lines[3] == "0", "erased"
    first, second = prompts[0], prompts[-1]
    assert "leaves at seven" not in first
    assert "leaves at seven" in second, "the second run was told what the first found out"
    with erstwhile.open_sync(str(tmp_path / "crew.db")) as memory:
        assert memory.channel("harbour").size() == 0
