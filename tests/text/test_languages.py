"""What is known of languages: a folder each, loaded when it is asked for."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from erstwhile import language

SOURCE = Path(language.__file__).parent
WORDS = re.compile("[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{2,}")
NEW = """
import sys
from erstwhile import language

language.__path__.append(sys.argv[1])
from erstwhile.memories import classify
from erstwhile.text import detection, sentences, when

assert language.codes()[-1] == "eo"
assert detection.dominant(["mi kaj vi estas ĉi tie"]) == "eo"
assert sentences.split("Vidu ekz. Mina. Jes.") == ["Vidu ekz. Mina.", "Jes."]
assert classify.category("Li promesis veni") == "promise"
from datetime import UTC, datetime
(found,) = when.spans("kion mi diris hieraŭ?", datetime(2026, 3, 11, tzinfo=UTC))
assert found.first == datetime(2026, 3, 10, tzinfo=UTC)
"""


def test_a_new_folder_is_a_new_language(tmp_path: Path) -> None:
    folder = tmp_path / "eo"
    folder.mkdir()
    (folder / "words.toml").write_text(
        'name = "Esperanto"\n[sentences]\nabbreviations = "ekz"\n[categories]\npromise = "promesis"\n'
    )
    (folder / "stopwords.txt").write_text("mi vi kaj estas ĉi tie kion\n")
    (folder / "time.toml").write_text('[words.fixed]\nyesterday = "hierau"\n')
    done = subprocess.run([sys.executable, "-c", NEW, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("code", language.codes())
def test_every_subject_of_a_language_loads(code: str) -> None:
    known = language.of(code)
    assert known.name
    assert subjects(code)
    for subject in subjects(code):
        assert getattr(known, subject), f"{code}: {subject}"


def subjects(code: str) -> set[str]:
    """What there are files or tables for."""
    parts = ("__init__", "calendar", "words")  # of other files
    files = {file.stem for file in (SOURCE / code).iterdir() if file.is_file() and file.stem not in parts}
    tables = tomllib.loads((SOURCE / code / "words.toml").read_text("utf-8"))
    return files | tables.keys() - {"name", "script", "stemmer"}


def test_layers_and_writers_hold_no_words_of_a_language() -> None:
    """Comments and docstrings may quote some."""
    found = []
    for package in ("layers", "writers", "search", "context"):
        for file in (SOURCE.parent / package).rglob("*.py"):
            code = re.sub(r'""".*?"""', "", file.read_text("utf-8"), flags=re.DOTALL)
            found += [f"{file.name}: {row.strip()}" for row in code.splitlines() if WORDS.search(row.split("  #")[0])]
    assert [each for each in found if not each.split(": ", 1)[1].startswith("#")] == []


def test_starting_loads_no_language() -> None:
    script = "import sys, erstwhile; print([each for each in sys.modules if each.startswith('erstwhile.language')])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_analysing_loads_only_what_it_needs() -> None:
    script = (
        "import sys\nfrom erstwhile.text import analyse\nanalyse.query_terms('where did she go?')\n"
        "from erstwhile import language\nsubjects = 'time facts memory_rules sentences suspicion negation'.split()\n"
        "print(sorted(each for each in sys.modules if each.startswith('erstwhile.language.')))\n"
        "print([code for code in language.codes() if not vars(language.of(code)).keys().isdisjoint(subjects)])\n"
        "print([code for code in language.codes() if '_words' in vars(language.of(code))])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "['erstwhile.language.patterns']\n[]\n['en']\n"


def test_the_docs_say_what_there_is_for_each_language() -> None:
    page = (Path(__file__).parents[2] / "docs" / "guide" / "languages.md").read_text("utf-8")
    told = dict(re.findall(r"^\| `(\w+)` \|[^|]*\| ([a-z ]+) \|$", page, re.MULTILINE))
    there: dict[str, list[str]] = {}
    for code in sorted(language.codes()):
        for subject in subjects(code):
            there.setdefault(subject, []).append(code)
    assert told == {subject: " ".join(codes) for subject, codes in there.items()}
