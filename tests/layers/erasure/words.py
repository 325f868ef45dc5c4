"""Where a word still is: in every byte of a file, in every row of a server."""

from __future__ import annotations

from pathlib import Path

import erstwhile
from inside import runtime
from owner import as_owner


async def found(memory: erstwhile.Memory, *words: str) -> list[str]:
    """The files, or the tables, that hold one of the words, whatever its case."""
    database = runtime(memory).database
    if database.dialect == "sqlite":
        file = Path(database.describe())
        held = {each.name: each.read_bytes().lower() for each in file.parent.glob(f"{file.name}*")}
        return [f"{name}: {word}" for name, bytes in held.items() for word in words if word.lower().encode() in bytes]
    named = "SELECT c.relname AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace"
    tables = [row["name"] for row in await as_owner(database, named)]
    looks = [
        f"(SELECT '{table}: {word}' AS place FROM {table} t WHERE strpos(lower(t::text), '{word.lower()}') > 0 LIMIT 1)"
        for table in tables
        for word in words
    ]
    return [row["place"] for row in await as_owner(database, " UNION ALL ".join(looks))]
