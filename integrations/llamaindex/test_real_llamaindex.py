"""The memory in real chat engines of LlamaIndex."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
PYTHON = FOLDER.parents[1] / ".venv-integrations" / "llamaindex" / "bin" / "python"


PAGE = FOLDER.parents[1] / "docs" / "integrations" / "llamaindex.md"


def run(folder: Path, *words: str | Path) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "ERSTWHILE_EMBEDDER": "none",
        "PYTHONPATH": str(FOLDER),
    }
    done = subprocess.run([PYTHON, *words], env=environment, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_said_in_one_chat_is_known_in_the_next(tmp_path: Path) -> None:
    found = json.loads(run(tmp_path, FOLDER / "chats.py", tmp_path / "chats.db"))
    assert found["prompt"].startswith("system: Remembered")
    assert "I moved to Busan." in found["prompt"]
    assert found["stored"] == ["user", "assistant"]
    assert found["size"] == 2
    assert found["after"][0] == "I moved to Busan."
    assert found["after"][-1] == "And my cat is called Mochi."
    assert found["reset"] == []
    assert any("Mochi" in text for text in found["found"]), "the memory still knows what was said"


def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert "Where do I live now?" in run(tmp_path, "-c", example)
