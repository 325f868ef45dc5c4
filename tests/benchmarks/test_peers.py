"""`make bench-peers`, with the two systems that need no environment of their own: erstwhile and the plain baseline."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest
from bench import peers, peers_page
from bench.peers_environments import Failed, Peer, last_words
from bench.peers_environments import peers as every_peer

TALK = {
    "sample_id": "one",
    "conversation": {
        "session_1_date_time": "9:05 am on 1 March, 2024",
        "session_1": [
            {"dia_id": "D1:1", "speaker": "Ann", "text": "I bought a red bicycle in Busan."},
            {"dia_id": "D1:2", "speaker": "Bob", "text": "The soup needs salt."},
        ],
    },
    "qa": [{"question": "What did Ann buy?", "answer": "a bicycle", "category": 4, "evidence": ["D1:1"]}],
}


@pytest.fixture
def options(tmp_path: Path) -> Namespace:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([TALK]))
    sizes = {"sizes": [500], "rounds": 2, "questions": 3, "exchanges": 5, "kills": 1}
    return Namespace(locomo=file, conversations=None, seconds=500, **sizes)


@pytest.fixture
def systems() -> list[Peer]:
    found = every_peer()
    return [found["erstwhile"], replace(found["plain"], needs=())]


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("recall", "| erstwhile | 100.0 | 100.0 | 100.0 | 1 |"),
        ("cost", "10 messages of "),
        # These take a minute: in `make soak ROWS=R25` and in pytest alone.
        pytest.param("latency", "| plain BM25 and vectors | 500 |", marks=pytest.mark.long),
        pytest.param("faults", "| answers 500 | erstwhile | 0 | 0 | 20 of 20 | 20 |", marks=pytest.mark.long),
    ],
)
def test_a_part_is_measured_and_kept_and_the_page_is_written(
    part: str, line: str, options: Namespace, systems: list[Peer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "RESULTS", tmp_path / "measured.json")
    monkeypatch.setattr(peers_page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(peers_page, "PLOTS", tmp_path / "plots")
    peers.keep("environments", {"erstwhile": {"versions": {}}, "graphiti": {"error": "no wheel for it"}})
    about = peers.circumstances(part, options)
    for found in peers.measure(part, systems, options):
        peers.keep(part, found, about)
    page = (tmp_path / "page.md").read_text()
    assert line in page
    assert "| graphiti, Kuzu | installing or opening it | `no wheel for it` |" in page
    assert part == "faults" or (tmp_path / "plots" / f"peers-{part}.svg").exists()
    peers.keep(part, {}, about)
    assert (tmp_path / "page.md").read_text() == page  # what was measured before stays


def test_a_part_without_results_here_keeps_its_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    monkeypatch.setattr(peers_page, "PAGE", page)
    monkeypatch.setattr(peers_page, "PLOTS", tmp_path / "plots")
    page.write_text("# Old\n\n## Recall\n\nFound.\n\n## Faults\n\n### Killed\n\nNone lost.\n\n## The systems\n\nOld.\n")
    peers_page.write({"environments": {"systems": {}}})
    written = page.read_text()
    assert "## Recall\n\nFound.\n\n## Faults\n\n### Killed\n\nNone lost.\n\n## The systems, and" in written
    assert "Latency" not in written
    assert "Not measured: how long adding and searching take, the services" in written


def test_a_system_that_fails_or_hangs_says_so(tmp_path: Path, systems: list[Peer]) -> None:
    with pytest.raises(Failed, match="FileNotFoundError"):
        systems[1].run("bench.peers_parts", "plain", "recall", str(tmp_path), "--locomo", "nowhere")
    with pytest.raises(Failed, match=r"gave up after 0\.1 s"):
        systems[1].run("bench.peers_parts", "plain", "open", str(tmp_path), seconds=0.1)
    assert last_words("WARNING: old\nERROR: No matching distribution\n", 1) == "No matching distribution"
    assert last_words("", -11) == "ended without a word, with code -11"


def test_a_ratio_has_its_spread() -> None:
    assert peers_page.spread([2.0, 1.0, 30.0]) == "2 (1 to 30)"
    assert peers_page.spread([1.0, 1.0]) == "1"
