"""The memory provider, found and run by the real Hermes Agent."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.running import RunningServer
from support.serving import Served, free_port

FOLDER = Path(__file__).parent
PYTHON = FOLDER.parents[1] / ".venv-integrations" / "hermes" / "bin" / "python"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with Served(str(tmp_path_factory.mktemp("server") / "memory.db"), embedder="none") as served:
        yield RunningServer(served)


def session(home: Path, url: str) -> Any:
    shutil.copytree(FOLDER / "erstwhile", home / "plugins" / "erstwhile", dirs_exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "HERMES_HOME": str(home), "ERSTWHILE_URL": url}
    done = subprocess.run(
        [PYTHON, FOLDER / "session.py"], env=environment, cwd=home, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_session_is_stored_and_recalled_in_the_next(server: RunningServer, tmp_path: Path) -> None:
    found = session(tmp_path, server.url)
    assert found["listed"] is True
    assert "Busan" in found["told"]
    assert found["tools"] == ["erstwhile_search", "erstwhile_remember"]
    assert found["remembered"] == {"remembered": True}
    assert "I moved to Busan." in [each["text"] for each in found["found"]["results"]]
    assert server.said("hermes:monday") == [("user", "I moved to Busan."), ("assistant", "Noted.")]
    assert "hermes:sub" not in str(server.get("default/channels")), "what a subagent is told is not stored"


def test_an_agent_goes_on_without_a_server(tmp_path: Path) -> None:
    found = session(tmp_path, f"http://127.0.0.1:{free_port()}")
    assert (found["told"], found["remembered"]) == ("", {"remembered": False})
    assert "error" in found["found"]
