"""The memory in real chat engines of LlamaIndex."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
PYTHON = FOLDER.parents[1] / ".venv-integrations" / "llamaindex" / "bin" / "python"


def test_what_is_said_in_one_chat_is_known_in_the_next(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ERSTWHILE_EMBEDDER": "none"}
    done = subprocess.run(
        [PYTHON, FOLDER / "chats.py", tmp_path / "chats.db"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["prompt"].startswith("system: Remembered")
    assert "I moved to Busan." in found["prompt"]
    assert found["stored"] == ["user", "assistant"]
    assert found["size"] == 2
    assert found["after"][0] == "I moved to Busan."
    assert found["after"][-1] == "And my cat is called Mochi."
    assert found["reset"] == []
    assert any("Mochi" in text for text in found["found"]), "the memory still knows what was said"
