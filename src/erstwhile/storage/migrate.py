"""Migrations: numbered SQL files, one folder per database. Missing ones are applied in one
transaction.
"""

from __future__ import annotations

from functools import cache

from erstwhile.base.errors import SchemaTooNew, SchemaTooOld
from erstwhile.base.files import folder
from erstwhile.base.logs import Log
from erstwhile.storage import Database, Dialect, Migration, Transaction, value
from erstwhile.storage.queries import load

queries = load(__package__)
log = Log(__name__)


@cache
def known(dialect: Dialect) -> tuple[Migration, ...]:
    home = folder("erstwhile.storage") / "migrations" / dialect
    names = sorted(file.name for file in home.iterdir() if file.name.endswith(".sql"))
    texts = ((home / name).read_text(encoding="utf-8") for name in names)
    named = zip(names, texts, strict=True)
    return tuple(Migration(int(name[:4]), name.removesuffix(".sql"), sql) for name, sql in named)


async def migrate(database: Database) -> list[str]:
    """Bring the schema up to date in one transaction, and return the names of the applied
    migrations."""
    pending = known(database.dialect)[await _version(database) :]
    if not await database.migrate(pending) or not pending:
        return []
    names = [migration.name for migration in pending]
    log.info("storage.migrated", migrations=names, database=database.describe())
    return names


async def ready(database: Database) -> None:
    """Prepare a database for use. An empty database gets its tables and an older SQLite file is
    migrated. An older Postgres needs `erstwhile migrate`, because other machines may still use it
    with the old version."""
    version = await _version(database)
    await database.verify()
    latest = known(database.dialect)[-1].version
    if version == latest:
        return
    if version and database.dialect == "postgres":
        raise SchemaTooOld(
            f"{database.describe()} has schema {version}, this erstwhile needs {latest}. Back it up, then run `erstwhile migrate`."
        )
    await migrate(database)


async def _version(database: Database) -> int:
    version = await database.version()
    refuse_newer(version, database.dialect, database.describe())
    return version


def refuse_newer(version: int, dialect: Dialect, where: str) -> None:
    """Raise SchemaTooNew if this erstwhile doesn't know the schema."""
    latest = known(dialect)[-1].version
    if version > latest:
        raise SchemaTooNew(
            f"{where} has schema {version}, written by a newer erstwhile; this one knows up to {latest}. "
            "Upgrade with `pip install -U erstwhile`, or open another database."
        )


async def applied(tx: Transaction) -> int:
    """Return the version of the schema."""
    return int(await value(tx, queries.version))


async def secret(tx: Transaction) -> str:
    """Return the secret of the database, which only its servers know."""
    found: str = await value(tx, queries.secret)
    return found
