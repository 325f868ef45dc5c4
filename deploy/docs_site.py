"""Hooks of MkDocs (mkdocs.yml): reference pages from the code, the changelog, llms.txt, and links that leave docs/."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
import reference

REPOSITORY = Path(__file__).parents[1]
MARK = REPOSITORY / "src" / "erstwhile" / "dashboard" / "static" / "mark.svg"
# In a search, pages that say how to do something stand before those that list everything, or tell why.
SAYS_HOW = ("start", "howto/", "integrations/", "guide/", "operate/", "help/", "dashboard")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name, text in {
        "reference/python.md": reference.python(),
        "reference/routes.md": reference.http(_openapi()),
        "reference/cli.md": reference.commands(),
        "changelog.md": _changelog(),
        "llms.txt": _llms(config),
    }.items():
        files.append(File.generated(config, name, content=text))
    files.append(File.generated(config, MARK.name, abs_src_path=str(MARK)))
    return files


def _openapi() -> dict[str, Any]:
    """The document as a server gives it; nothing is stored."""
    import asyncio
    import tempfile

    import erstwhile
    from erstwhile.http.app import create_app

    async def described() -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            async with erstwhile.open(f"{folder}/empty.db", worker=False) as memory:
                return create_app(memory).openapi()

    return asyncio.run(described())


def _changelog() -> str:
    text = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    return re.sub(r"\]\(docs/", "](", text)


def _llms(config: MkDocsConfig) -> str:
    """The pages with their first sentence, for models (https://llmstxt.org)."""
    lines = [f"# {config.site_name}", "", f"> {config.site_description}", ""]
    for title, path in _pages(config.nav or []):
        if path is None:
            lines += ["", f"## {title}", ""]
            continue
        page = REPOSITORY / "docs" / path
        told = _first(page.read_text(encoding="utf-8")) if page.exists() else "Written from the code."
        address = "./" if path == "index.md" else f"{path.removesuffix('.md').removesuffix('/index')}/"
        lines.append(f"- [{title}]({address}): {told}")
    return "\n".join(lines) + "\n"


def _pages(nav: Any) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    for each in nav:
        for title, below in each.items():
            if isinstance(below, str):
                found.append((title, below))
            else:
                found += [(title, None), *_pages(below)]
    return found


def _first(text: str) -> str:
    """The first sentence under the heading."""
    body = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    body = re.sub(r"```.*?```", "", body, flags=re.DOTALL)
    for paragraph in body.split("\n\n")[1:]:
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
        if plain and not plain.startswith(("#", "|", "!", "<")):
            return re.split(r"(?<=\.) ", plain)[0]
    return ""


def on_post_build(config: MkDocsConfig) -> None:
    """Leave out what only developers of the theme need, and what has the time of the build in it."""
    for pattern in ("**/*.map", "sitemap.xml*"):
        for file in Path(config.site_dir).glob(pattern):
            file.unlink()


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: object) -> str:
    """Links to files of the repository outside docs/ lead to the repository."""
    page.meta["search"] = {"boost": 4 if page.file.src_uri.startswith(SAYS_HOW) else 1}
    here = (REPOSITORY / "docs" / page.file.src_uri).parent

    def outside(found: re.Match[str]) -> str:
        target = (here / found[1]).resolve()
        if target.is_relative_to(REPOSITORY / "docs") and not target.is_dir():
            return found[0]
        return f"]({config.extra['repository']}/blob/main/{target.relative_to(REPOSITORY)}{found[2] or ''})"

    markdown = re.sub(r"<!-- (not run|file|setup):.*?-->\n?", "", markdown, flags=re.DOTALL)
    return re.sub(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)", outside, markdown)
