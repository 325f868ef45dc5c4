"""Every example of the README and of docs/ runs: a page at a time, its examples one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.examples import POSTGRES, REPOSITORY, RUN, Example, ExampleError, Reader, check_form, commands, examples

PAGES = {
    str(path.relative_to(REPOSITORY)): path.read_text()
    for path in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
}
# Blocks that nobody can run here, each with its reason in the page. A new one needs a line here.
NOT_RUN = {
    "docs/architecture.md": 1,
    "docs/benchmarks.md": 1,
    "docs/howto/mcp.md": 2,
    "docs/integrations/crewai.md": 1,
    "docs/integrations/hermes.md": 1,
    "docs/integrations/litellm.md": 1,
    "docs/integrations/llamaindex.md": 1,
    "docs/integrations/typescript.md": 1,
    "docs/operate/deploy.md": 4,
    "docs/operate/kubernetes.md": 2,
    "docs/operate/scale.md": 2,
}


@pytest.mark.timeout(180)
@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if "```" in text])
def test_the_examples_run(page: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    run = "".join(each.code for each in examples(PAGES[page]) if not each.not_run and each.language in RUN)
    postgres = request.getfixturevalue("bare_postgres") if any(each in run for each in POSTGRES) else ""
    with Reader(tmp_path, postgres) as reader:
        for example in examples(PAGES[page]):
            reader.read(example, page)


def test_few_examples_are_not_run_and_each_says_why() -> None:
    every = [(page, each) for page, text in PAGES.items() for each in examples(text)]
    skipped = [(page, each) for page, each in every if each.not_run]
    assert {page: sum(page == other for other, _ in skipped) for page, _ in skipped} == NOT_RUN
    assert all(each.language in RUN and len(each.not_run.split()) > 1 for _, each in skipped)
    assert sum(each.language in RUN for _, each in every) > 5 * len(skipped)


# The runner itself: an example that is wrong is noticed.


@pytest.mark.parametrize(
    ("language", "code", "told"),
    [
        ("python", "assert 1 == 2", "AssertionError"),
        ("python", "async with missing: pass", "NameError"),
        ("sh", "erstwhile search x --no-such-option", "ends with 2"),
        ("sh", "erstwhile serve --no-such-option", "No such option"),
        ("sh", "pip install 'erstwhile[nothing]'", "no extra nothing"),
        ("sh", "make nothing", "no target nothing"),
        ("sh", "rm -r /nowhere", "nobody can run"),
        ("console", "$ erstwhile nothing\noutput", "ends with 2"),
        ("json", "{", "JSONDecodeError"),
        ("text", "$ erstwhile search x", "marked as text"),
        ("", "x", "name its language"),
    ],
)
def test_a_wrong_example_is_noticed(language: str, code: str, told: str, tmp_path: Path) -> None:
    with Reader(tmp_path) as reader, pytest.raises(ExampleError) as caught:
        reader.read(Example(1, language, code), "page.md")
    assert told in str(caught.value)


def test_comments_for_examples_are_read() -> None:
    text = "<!-- not run: needs a cat -->\n```sh\ncat\n```\n<!-- setup: python\nx = 1\n-->\n<!-- file: a.jsonl -->\n```jsonl\n{}\n```\n"
    first, second, third = examples(text)
    assert (first.not_run, first.language) == ("needs a cat", "sh")
    assert (second.language, second.code) == ("python", "x = 1\n")
    assert (third.file, third.code) == ("a.jsonl", "{}\n")
    with pytest.raises(ExampleError):
        list(examples("<!-- not run: it is gone -->\nprose\n```sh\nls\n```\n"))
    check_form(third)


def test_commands_may_be_longer_than_a_line() -> None:
    told = Example(1, "sh", "# a comment\ncurl -s \\\n  -d '{\n}'\nls  # here\n")
    assert [line for _, line in commands(told)] == ["curl -s   -d '{\n}'", "ls  # here"]
