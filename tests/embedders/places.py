"""Embedders that are asked over HTTP, at a server on loopback."""

from __future__ import annotations

from erstwhile.base.settings import Settings, load
from erstwhile.testing import ModelServer

SERVED = ("openai:text-embedding-test", "openai-compatible:test")


def asking(server: ModelServer, embedder: str = SERVED[0], **more: object) -> Settings:
    return load(embedder=embedder, embedder_url=server.base_url, embedder_key="k", **more)
