"""What counts as a standing request, by labelled samples in seven languages."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from erstwhile.language import assistant
from erstwhile.layers.standing import reading

SAMPLES = tomllib.loads((Path(__file__).parent / "standing_samples.toml").read_text("utf-8"))


def labelled(given: str) -> tuple[str, tuple[str, ...]]:
    text, _, topics = given.rpartition(" | ")
    return text, tuple(filter(None, topics.split()))


def hits(language: str, label: str) -> list[tuple[str, list[reading.ReadRequest]]]:
    return [(given, reading.read(labelled(given)[0] if label != "no" else given)) for given in SAMPLES[language][label]]


@pytest.mark.parametrize("language", SAMPLES)
def test_precision_and_recall(language: str) -> None:
    asked = [(given, bool(found) and not found[0].ends) for given, found in hits(language, "yes")]
    asked += [(text, bool(reading.read(text))) for text in SAMPLES[language]["more"]]
    ended = [(given, bool(found) and found[0].ends) for given, found in hits(language, "ends")]
    wrong = [given for given, found in hits(language, "no") if found]
    true = [*asked, *ended]
    kept = sum(right for _, right in true)
    print(language, f"precision {kept / (kept + len(wrong)):.2f} recall {kept / len(true):.2f}")
    assert len(asked) >= 20
    assert len(SAMPLES[language]["no"]) >= 20
    assert not wrong
    assert kept >= 0.95 * len(true), [given for given, right in true if not right]


@pytest.mark.parametrize("language", SAMPLES)
def test_topics(language: str) -> None:
    labels = [(labelled(given), found) for label in ("yes", "ends") for given, found in hits(language, label)]
    wrong = {text: found[0].topics for (text, topics), found in labels if found and found[0].topics != topics}
    assert wrong == {}


def test_what_was_not_used_to_write_the_patterns() -> None:
    held_out = tomllib.loads((Path(__file__).parent / "standing_held_out.toml").read_text("utf-8"))
    right = wrong = asked = 0
    for language, given in held_out.items():
        missed = [text for text in given["yes"] if not reading.read(text)]
        taken = [text for text in given["no"] if reading.read(text)]
        print(language, "missed:", missed, "taken:", taken)
        asked, right, wrong = (asked + len(given["yes"]), right + len(given["yes"]) - len(missed), wrong + len(taken))
    print(f"precision {right / (right + wrong):.2f} recall {right / asked:.2f}")
    assert right / (right + wrong) >= 0.95
    assert right / asked >= 0.65


def test_a_cue_is_noticed_wherever_it_is_in_a_text() -> None:
    """Cues are looked up by a piece of them, which may be a part of a word of the text."""
    for cue in assistant._cues():
        for text in (cue, f"so xx{cue}yy it is", f"So,\n{cue.upper()}!"):
            assert assistant.may_request(text) == (cue in text.lower()), text
    for language, given in SAMPLES.items():
        for text in (each for label in given.values() for each in label):
            lower = text.lower().replace("’", "'")
            assert assistant.may_request(text) == any(cue in lower for cue in assistant._cues()), (language, text)
