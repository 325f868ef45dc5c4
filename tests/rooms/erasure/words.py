"""Where a word still is, in every byte and column of a database."""

from __future__ import annotations

from pathlib import Path

import erstwhile
from owner import as_owner


async def found(memory: erstwhile.Memory, *words: str) -> list[str]:
    """The files, or the tables and columns, that hold one of the words, whatever its case."""
    database = memory.house.database
    if database.dialect == "sqlite":
        file = Path(database.describe())
        held = {each: each.read_bytes().lower() for each in file.parent.glob(f"{file.name}*")}
        return [
            f"{each.name}: {word}" for each, bytes in held.items() for word in words if word.lower().encode() in bytes
        ]
    columns = await as_owner(
        database,
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() "
        "AND table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = current_schema())",
    )
    places = []
    for each in columns:
        table, column = each["table_name"], each["column_name"]
        for word in words:
            hit = f"SELECT 1 FROM {table} WHERE strpos(lower({column}::text), '{word.lower()}') > 0 LIMIT 1"
            if await as_owner(database, hit):
                places.append(f"{table}.{column}: {word}")
    return places
