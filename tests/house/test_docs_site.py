"""The documentation site: it builds, every link in it leads somewhere, and a browser loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import httpx2
import pytest
from fastapi import FastAPI

from erstwhile.http.app import create_app
from erstwhile.http.routes import server

REPOSITORY = Path(__file__).parents[2]
URL = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["urls"]["Homepage"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build the site as `make docs` does: without --quiet, with which MkDocs counts no warnings."""
    words = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder), *options]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": "default"}
    return subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)


class _Links(HTMLParser):
    """What a page loads (scripts, styles, pictures), and what it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.loaded.append(given["src"])
        elif tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(given["href"])
        elif tag == "a" and given.get("href"):
            self.linked.append(given["href"])


def links(page: Path) -> _Links:
    parser = _Links()
    parser.feed(page.read_text())
    return parser


def test_a_page_loads_nothing_from_elsewhere_and_links_to_pages_that_exist(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        if page.name == "404.html":  # its paths begin at the root
            continue
        found = links(page)
        assert not [each for each in found.loaded if re.match(r"(https?:)?//", each)], page
        assert 'data-md-component="source"' not in page.read_text(), "the theme would ask GitHub for stars"
        for each in [*found.loaded, *found.linked]:
            path = unquote(each.partition("#")[0].partition("?")[0])
            if path and not re.match(r"[a-z]+:", path):
                assert (page.parent / path).resolve().exists(), (page, each)


@pytest.mark.long
def test_a_link_that_leads_nowhere_and_a_page_outside_the_navigation_end_the_build(tmp_path: Path) -> None:
    config, pages = tmp_path / "mkdocs.yml", tmp_path / "docs"
    config.write_text(f"INHERIT: {REPOSITORY}/mkdocs.yml\ndocs_dir: {pages}\nhooks: []\nnav: [index.md]\n")
    pages.mkdir()
    (pages / "index.md").write_text("# Here\n\n[there](#here)\n")
    assert build(tmp_path / "site", "--config-file", str(config)).returncode == 0
    for wrong in ({"index.md": "[there](nowhere.md)"}, {"index.md": "[there](#nowhere)"}, {"nowhere.md": "# Other"}):
        for name, text in {"index.md": "# Here", **wrong}.items():
            (pages / name).write_text(text)
        done = build(tmp_path / "site", "--config-file", str(config))
        assert done.returncode == 1
        assert "nowhere" in done.stderr


def test_the_reference_is_written_from_the_code_and_models_find_every_page(site: Path) -> None:
    assert "memory.people.import_profile" in (site / "reference" / "python" / "index.html").read_text()
    assert "/v1/spaces/{space}/search" in (site / "reference" / "routes" / "index.html").read_text()
    assert "erstwhile spaces rebuild" in (site / "reference" / "cli" / "index.html").read_text()
    listed = re.findall(r"^- \[.*?\]\((.*?)\): \S", (site / "llms.txt").read_text(), flags=re.MULTILINE)
    assert len(listed) > 35
    assert [each for each in listed if not (site / each / "index.html").exists()] == []


async def test_the_server_shows_it(site: Path, app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_site", lambda: site)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as http:
        assert (await http.get("/docs/guide")).headers["location"] == "/docs/guide/"
        first = await http.get("/docs/guide/")
        assert "Long-term memory" in first.text
        assert "default-src 'none'" in first.headers["content-security-policy"]
        assert (await http.get("/docs/guide/howto/chat-app")).headers["location"] == "/docs/guide/howto/chat-app/"
        assert (await http.get("/docs/guide/howto/chat-app/")).headers["content-type"].startswith("text/html")
        assert (await http.get("/docs/guide/search/search_index.json")).json()["docs"]
        for outside in (
            "/docs/guide/..%2f..%2fpyproject.toml",
            "/docs/guide/no-such-page/",
            "/docs/guide/%2Fetc/passwd",
        ):
            assert (await http.get(outside)).status_code == 404


async def test_without_a_site_the_server_says_how_to_get_one(
    app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_site", lambda: tmp_path / "none")
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as http:
        answer = await http.get("/docs/guide/")
    assert answer.status_code == 404
    assert "make docs" in answer.json()["detail"]


@pytest.fixture
def app(memory: object) -> FastAPI:
    return create_app(memory)  # type: ignore[arg-type]


# The README, which PyPI shows too


def test_links_of_the_readme_work_on_pypi_and_lead_to_files_that_exist() -> None:
    found = re.findall(r"\]\(([^)]+)\)", (REPOSITORY / "README.md").read_text())
    raw = URL.replace("https://github.com", "https://raw.githubusercontent.com")
    files = [each.removeprefix(f"{URL}/blob/main/").removeprefix(f"{raw}/main/") for each in found]
    assert len(files) > 10
    assert [each for each in files if not (REPOSITORY / each).is_file()] == []


def test_the_readme_is_short() -> None:
    text = (REPOSITORY / "README.md").read_text()
    assert len(text.split()) <= 600
    assert text.count("![") == 3
