"""The TypeScript packages, built and run by node against a server, with the real AI SDK in two versions."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.running import RunningServer
from support.serving import Served

FOLDER = Path(__file__).parent
PAGES = FOLDER.parents[1] / "docs" / "integrations"


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    done = subprocess.run(["npm", "run", "--silent", "build"], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with Served(str(tmp_path_factory.mktemp("server") / "memory.db"), embedder="none") as served:
        yield RunningServer(served)


def node(server: RunningServer, *words: str, **environment: str) -> str:
    done = subprocess.run(
        ["node", *words],
        cwd=FOLDER,
        env={**os.environ, "ERSTWHILE_URL": server.url, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_client(server: RunningServer) -> None:
    assert "# pass 8" in node(server, "--test", "--test-reporter=tap", "client/test/client.test.js")


@pytest.mark.parametrize("sdk", ["ai", "ai-7"])
def test_the_middleware(sdk: str, server: RunningServer) -> None:
    assert "# pass 7" in node(server, "--test", "--test-reporter=tap", "ai-sdk/test/memory.test.js", AI_SDK=sdk)


def test_neither_package_needs_anything_when_it_runs() -> None:
    for name in ("client", "ai-sdk"):
        texts = "".join(path.read_text() for path in (FOLDER / name / "dist").glob("*.js"))
        assert set(re.findall(r'from "([^."][^"]*)"', texts)) == set()


def examples(page: str) -> list[str]:
    return re.findall(r"```ts\n(.*?)```", (PAGES / page).read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", ["typescript.md", "ai-sdk.md"])
def test_the_examples_of_a_page_are_sound_and_run(page: str, server: RunningServer) -> None:
    """Each is checked by tsc and run by node, with this server's address and a simulated model in it."""
    found = examples(page)
    assert found
    for number, example in enumerate(found):
        example = example.replace("http://127.0.0.1:8765", server.url).replace(
            'import { openai } from "@ai-sdk/openai";',
            'import { MockLanguageModelV3 } from "ai/test";\n'
            'const stop = { unified: "stop" as const, raw: "stop" };\n'
            "const usage: any = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };\n"
            'const content = [{ type: "text" as const, text: "Busan." }];\n'
            "const openai = (_: string) => new MockLanguageModelV3({\n"
            "  doGenerate: async () => ({ content, finishReason: stop, usage, warnings: [] }),\n"
            "});",
        )
        source = FOLDER / f".example-{page[:-3]}-{number}.mts"
        try:
            source.write_text(example, encoding="utf-8")
            config = ["--module", "nodenext", "--target", "es2022", "--strict", "--skipLibCheck", "--types", "node"]
            done = subprocess.run(
                ["npx", "tsc", *config, source.name], cwd=FOLDER, capture_output=True, text=True, timeout=120
            )
            assert done.returncode == 0, done.stdout
            wanted = "Busan" if number == 0 else "backfilled"
            assert wanted in node(server, str(source.with_suffix(".mjs")))
        finally:
            source.unlink(missing_ok=True)
            source.with_suffix(".mjs").unlink(missing_ok=True)
