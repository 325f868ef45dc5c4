"""What a process imports, and what an installation brings: the rules that keep the start fast and the package small.

`python -m bench.start` prints what they come to, in CPU time and megabytes.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement

from erstwhile import layers
from erstwhile.layers.contract import Layer
from erstwhile.memories import registry

REPOSITORY = Path(__file__).parents[2]
OPEN = """
import asyncio, erstwhile
async def main():
    async with erstwhile.open("start.db") as memory:
        await memory.channel("c").add("user", "hello from Busan")
asyncio.run(main())
"""
SEARCH = """
import sys
sys.argv = ["erstwhile", "search", "Busan", "--database", "start.db"]
from erstwhile.cli import main
try: main()
except SystemExit: pass
"""
SETTLE = "import erstwhile\nwith erstwhile.open_sync('start.db', worker=False) as memory: memory.settle()"
NEVER = {
    *("pydantic", "pydantic_core", "pydantic_ai", "openai", "httpx2", "anyio", "psycopg", "cryptography"),
    *("tokenizers", "safetensors", "huggingface_hub", "rich", "opentelemetry"),
    *("importlib.resources", "zoneinfo"),
}
OURS_NEVER = {
    *("layers.notes.note", "layers.notes.titles", "layers.notes.cluster", "layers.retention.messages"),
    *("archive", "exports", "keys", "context.build", "writers.extractive", "writers.prompted", "api.archive"),
    *("layers.days", "layers.remembered", "layers.profiles", "layers.facts.steps", "layers.structured.steps"),
}


def _loaded(code: str, folder: Path) -> set[str]:
    script = f"{code}\nimport sys; sys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=folder)
    return set(done.stderr.split())


def _ours(loaded: set[str]) -> set[str]:
    return {name.removeprefix("erstwhile.") for name in loaded if name.startswith("erstwhile.")}


def test_opening_adding_and_closing_imports_only_what_an_append_needs(tmp_path: Path) -> None:
    loaded = _loaded(OPEN, tmp_path)
    assert loaded.isdisjoint(NEVER | {"numpy", "typer"})
    assert _ours(loaded).isdisjoint(OURS_NEVER | {"search.find", "search.model", "requests.recorder", "cli"})
    assert len(_ours(loaded)) <= 155  # with the grammar of time: messages say when something happened


def test_a_search_from_the_shell_imports_no_layer_and_no_model(tmp_path: Path) -> None:
    _loaded(OPEN, tmp_path)
    _loaded(SETTLE, tmp_path)  # so that it has vectors
    loaded = _loaded(SEARCH, tmp_path)
    assert loaded.isdisjoint(NEVER)
    assert _ours(loaded).isdisjoint(OURS_NEVER | {"layers.notes", "layers.summaries", "layers.brief", "jobs.worker"})
    assert _ours(loaded).isdisjoint({"log.append", "api.message_store", "writers.port"})
    assert len(_ours(loaded)) <= 134


def test_what_is_not_used_is_not_compiled(tmp_path: Path) -> None:
    """Patterns are the most expensive part of importing a module: 110 of ours were a third of `open`."""
    count = "import re._compiler as c\nreal = c.compile\ndone = []\n"
    count += "def compiled(*a, **k): done.append(1); return real(*a, **k)\nc.compile = compiled\n"
    told = "import sys; sys.stderr.write(str(len(done)))"
    script = f"import asyncio, dataclasses, logging\n{count}{OPEN}\n{told}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert 0 < int(done.stderr) <= 26


def test_what_is_said_of_a_layer_before_it_is_imported_is_true_of_it() -> None:
    for entry in layers.ENTRIES:
        layer = entry.layer
        assert (layer.appended is not Layer.appended) == entry.listens, entry.name
        assert (layer.start is not Layer.start) == entry.starts, entry.name
        declared = [registry.get(kind.name) for kind in entry.kinds]
        assert sorted(declared, key=id) == sorted(layer.kinds, key=id), entry.name
        made = [(kind.name, kind.prefix, kind.group, kind.expires) for kind in declared]
        assert made == [(kind.name, kind.prefix, kind.group, kind.expires) for kind in entry.kinds]


def test_an_installation_brings_few_packages() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    found: set[str] = set()
    waiting = [Requirement(each) for each in project["dependencies"]]
    while waiting:
        needed = waiting.pop()
        name = needed.name.lower().replace("_", "-")
        if name in found or (needed.marker and not needed.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        assert not needed.extras, "an extra of another package brings more than it says"
        waiting += map(Requirement, requires(needed.name) or ())
    assert found.isdisjoint({"pydantic", "pydantic-ai-slim", "openai", "tokenizers", "huggingface-hub", "cryptography"})
    assert len(found) <= 15
