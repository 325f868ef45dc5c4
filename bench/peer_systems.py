"""The systems that erstwhile is measured beside, as `bench.systems` fills and asks them."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from typing import Any

from bench.systems import DIMENSIONS, LIMIT, System, Words


class Mem0:
    """As installed by `pip install mem0ai`, with its default store (Qdrant in the process, on disk) and raw adds."""

    store = "qdrant"

    def __init__(self, where: str, space: str) -> None:
        self._space = space
        os.environ |= {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False", "MEM0_DIR": f"{where}/home"}
        from langchain_core.embeddings import Embeddings
        from mem0 import Memory

        words = Words()
        self.words: Words | None = words

        class Same(Embeddings):
            def embed_query(self, text: str) -> list[float]:
                return words.embed([text])[0]

            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return words.embed(texts)

        store: dict[str, Any] = {"path": f"{where}/{self.store}", "embedding_model_dims": DIMENSIONS}
        store |= {"on_disk": True} if self.store == "qdrant" else {"distance_strategy": "cosine"}
        self._memory = Memory.from_config(
            {
                "embedder": {"provider": "langchain", "config": {"model": Same(), "embedding_dims": DIMENSIONS}},
                "vector_store": {"provider": self.store, "config": store},
                "llm": {"provider": "openai", "config": {"api_key": "unused: nothing is inferred"}},
                "history_db_path": f"{where}/history.db",
            }
        )

    def add(self, channel: int, texts: list[str]) -> None:
        said = [{"role": "user", "content": text} for text in texts]
        self._memory.add(said, user_id=self._space, metadata={"channel": channel}, infer=False)

    def settle(self) -> None: ...

    def channels(self) -> int:
        return 0

    def search(self, question: str) -> int:
        return len(self._memory.search(question, filters={"user_id": self._space}, top_k=LIMIT)["results"])

    def embeds(self) -> bool:
        return True

    def close(self) -> None:
        self._memory.vector_store.client.close()


class Mem0Faiss(Mem0):
    """mem0 with FAISS. It writes its whole file for each memory, which takes longer and longer; here it writes once for each
    channel, or it would not be done today."""

    store = "faiss"

    def add(self, channel: int, texts: list[str]) -> None:
        faiss = self._memory.vector_store
        save, faiss._save = faiss._save, lambda: None
        try:
            super().add(channel, texts)
        finally:
            faiss._save = save
        faiss._save()

    def close(self) -> None: ...


class LangGraph:
    """The store that langmem keeps memories in, on SQLite, with its vector index."""

    def __init__(self, where: str, space: str) -> None:
        self._space = space
        import pysqlite3  # many builds of Python have an sqlite3 that can't load the vector extension

        sys.modules["sqlite3"] = pysqlite3
        from langgraph.store.base import PutOp
        from langgraph.store.sqlite import SqliteStore

        words = Words()
        self.words: Words | None = words
        self._put = PutOp
        index: Any = {"dims": DIMENSIONS, "embed": words.embed, "fields": ["text"]}
        self._entered = SqliteStore.from_conn_string(f"{where}/store.db", index=index)
        self._store = self._entered.__enter__()
        self._store.setup()

    def add(self, channel: int, texts: list[str]) -> None:
        self._store.batch(
            [self._put((self._space, str(channel)), str(place), {"text": text}) for place, text in enumerate(texts)]
        )

    def settle(self) -> None: ...

    def channels(self) -> int:
        return 0

    def search(self, question: str) -> int:
        return len(self._store.search((self._space,), query=question, limit=LIMIT))

    def embeds(self) -> bool:
        return True

    def close(self) -> None:
        self._entered.__exit__(None, None, None)


class Plain:
    """What one would write in an afternoon: BM25 of SQLite's FTS5 and a matrix of vectors in memory, put together by their ranks."""

    def __init__(self, where: str, space: str) -> None:
        import numpy as np

        self._space, self._np = space, np
        self.words: Words | None = Words()
        self._store = sqlite3.connect(f"{where}/plain.db")
        self._store.execute("PRAGMA journal_mode = WAL")
        self._store.execute("CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, space UNINDEXED)")
        self._store.execute("CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, vector BLOB)")
        rows = self._store.execute("SELECT v.vector FROM vectors v ORDER BY v.id").fetchall()
        self._vectors = np.frombuffer(b"".join(row[0] for row in rows), np.float32).reshape(-1, DIMENSIONS)

    def add(self, channel: int, texts: list[str]) -> None:  # noqa: ARG002
        assert self.words is not None
        vectors = self._np.array(self.words.embed(texts), self._np.float32)
        with self._store:
            for text, vector in zip(texts, vectors, strict=True):
                made = self._store.execute("INSERT INTO texts (text, space) VALUES (?, ?)", (text, self._space))
                self._store.execute("INSERT INTO vectors VALUES (?, ?)", (made.lastrowid, vector.tobytes()))

    def settle(self) -> None: ...

    def channels(self) -> int:
        return 0

    def search(self, question: str) -> int:
        assert self.words is not None
        words = " OR ".join(f'"{word}"' for word in question.replace('"', " ").split())
        by_words = self._store.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? AND space = ? ORDER BY rank LIMIT 60", (words, self._space)
        ).fetchall()
        found: dict[int, float] = {}
        for rank, (row,) in enumerate(by_words):
            found[row] = 1 / (60 + rank)
        if len(self._vectors):
            near = self._vectors @ self._np.array(self.words.embed([question])[0], self._np.float32)
            best = self._np.argpartition(-near, min(60, len(near) - 1))[:60]
            for rank, place in enumerate(best[self._np.argsort(-near[best])].tolist()):
                found[place + 1] = found.get(place + 1, 0.0) + 1 / (60 + rank)
        wanted = sorted(found, key=lambda row: -found[row])[:LIMIT]
        marks = ",".join("?" * len(wanted))
        return len(self._store.execute(f"SELECT text FROM texts WHERE rowid IN ({marks})", wanted).fetchall())

    def embeds(self) -> bool:
        return True

    def close(self) -> None:
        self._store.close()


SYSTEMS: dict[str, Callable[[str, str], System]] = {
    "mem0": Mem0,
    "mem0-faiss": Mem0Faiss,
    "langgraph": LangGraph,
    "plain": Plain,
}
