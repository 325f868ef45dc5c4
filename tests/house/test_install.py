"""How `make install` tells uv what pip is configured with, and when it leaves the work to pip."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

environment_of_uv = runpy.run_path(str(Path(__file__).parents[2] / "deploy" / "install.py"))["environment_of_uv"]
AS_PIP = {"UV_INDEX_STRATEGY": "unsafe-best-match"}


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ("", {}),
        ("global.index-url='https://pypi.example/simple'", {"UV_DEFAULT_INDEX": "https://pypi.example/simple"}),
        (
            "global.extra-index-url='\\nhttps://a.example/simple\\nfile:///b/simple'\nglobal.timeout='60'",
            {"UV_INDEX": "https://a.example/simple file:///b/simple"},
        ),
        (
            ":env:.find-links='/here /there'\nglobal.find-links='/elsewhere'\nglobal.cert='/a.pem'",
            {"UV_FIND_LINKS": "/here,/there", "SSL_CERT_FILE": "/a.pem"},
        ),
    ],
)
def test_uv_is_told_the_indexes_of_pip(config: str, told: dict[str, str]) -> None:
    assert environment_of_uv(config) == {**AS_PIP, **told}


@pytest.mark.parametrize("config", ["global.proxy='http://a:1'", "install.no-binary=':all:'", ":env:.no-index='1'"])
def test_pip_does_it_where_uv_can_not_be_told_all(config: str) -> None:
    assert environment_of_uv(config) is None
