"""Postgres with psycopg 3: an async pool, one transaction per unit with its space set,
`synchronous_commit=on`.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq.abc import PGresult
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from erstwhile.base import crash
from erstwhile.base.addresses import malformed
from erstwhile.base.errors import StorageBusy, StorageError, StorageFull
from erstwhile.base.system import OwningProcess
from erstwhile.storage import Dialect, Migration, Row, Unit, Written, nobody, row_security
from erstwhile.storage.exchange import Connection, Exchange, in_step, nested, round_trip
from erstwhile.storage.queries import Query

T = TypeVar("T")

# Deadlock or serialisation failure: the database rolled back one of two transactions, so it is run
# again.
_RERUN = (
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
    psycopg.errors.UniqueViolation,
)
_RERUNS = 5
# A partition counts as its table.
SIZES = """
    SELECT coalesce(p.relname, c.relname) AS name, sum(pg_total_relation_size(c.oid))::bigint AS bytes
    FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace GROUP BY 1 ORDER BY 2 DESC, 1
"""

# Until the commit: what a transaction reads afterwards goes by an index as well.
_BY_INDEX = (
    "SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)"
)

# A connection used within this time is not checked.
_TRUSTED_SECONDS = 1.0


class PostgresTransaction:
    """Statements whose answer nobody needs are sent with the next one."""

    dialect: Dialect = "postgres"

    def __init__(self, exchange: Exchange, space: str) -> None:
        self._exchange = exchange
        self.in_step = False
        self.space = space

    def _bind(self, query: Query, params: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"space": self.space, **params} if "space" in query.takes else params

    async def all(self, query: Query, **params: Any) -> list[Row]:
        return self._exchange.rows(await self._ask(query, params))

    async def first(self, query: Query, **params: Any) -> Row | None:
        rows = await self.all(query, **params)
        return rows[0] if rows else None

    async def run(self, query: Query, **params: Any) -> int:
        return (await self._ask(query, params)).command_tuples or 0

    async def run_many(self, query: Query, rows: Sequence[Row], **shared: Any) -> None:
        """Insert or change many rows, in one statement where the query allows it."""
        if "rows" in query.takes:
            self._queue(query, {"rows": json.dumps(rows), **shared})
        elif query.arrays:
            arrays = {name: [row[name] for row in rows] for name in query.arrays}
            self._queue(query, arrays | shared)
        elif len(rows) > 1 and query.batch is not None and "space" not in rows[0]:
            given = json.dumps(query.batch.rows(rows), default=_bytea)
            self._exchange.queue(query.batch.sql, {"space": self.space, "rows": given, **shared})
        else:
            for row in rows:
                self._queue(query, {**row, **shared})

    async def finish(self) -> None:
        await self._exchange.ask()

    def _queue(self, query: Query, params: Mapping[str, Any]) -> int:
        binary = "-- binary:" in query.comment  # bytes come as they are, not as text
        if "-- by index:" in query.comment:
            self._exchange.queue(_BY_INDEX, {})
        return self._exchange.queue(query.postgres, self._bind(query, params), binary=binary)

    async def _ask(self, query: Query, params: Mapping[str, Any]) -> PGresult:
        place = self._queue(query, params)
        answers = await round_trip() if self.in_step else await self._exchange.ask()
        return answers[place]

    async def together(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        if self.in_step:
            return await nested(work)
        steps, answers = in_step(work), None
        try:
            while True:
                self.in_step = True
                try:
                    steps.send(answers)
                except StopIteration as stop:
                    return cast("list[Any]", stop.value)
                finally:
                    self.in_step = False
                answers = await self._exchange.ask()
        finally:
            steps.close()


def _bytea(value: bytes) -> str:
    """Write bytes as Postgres reads them from text."""
    return "\\x" + value.hex()


async def _version(connection: AsyncConnection[DictRow]) -> int:
    cursor = await connection.execute("SELECT to_regclass('migrations') IS NOT NULL AS there")
    there = await cursor.fetchone()
    if there is None or not there["there"]:
        return 0
    cursor = await connection.execute("SELECT coalesce(max(version), 0) AS version FROM migrations")
    row = await cursor.fetchone()
    return int(row["version"]) if row else 0


class _Gone(StorageError):
    """Raised when the connection was lost before the unit began, so that it can run on another."""


class PostgresDatabase:
    dialect: Dialect = "postgres"

    def __init__(self, url: str, *, pool: int = 10) -> None:
        try:
            self._parts = conninfo_to_dict(url)
        except psycopg.Error:  # its text quotes the address
            raise malformed() from None
        self._url = url
        self._as_role = False
        self.written: Written = nobody
        self._pool = AsyncConnectionPool(
            url,
            min_size=1,
            max_size=pool,
            open=False,
            timeout=10,
            # Exchange prepares statements. Would psycopg too, its rollback would make the server forget all of them.
            kwargs={
                "row_factory": dict_row,
                "autocommit": True,
                "application_name": "erstwhile",
                "prepare_threshold": None,
            },
            connection_class=Connection,
            check=self._check,
        )
        self._doubted_at = -math.inf
        self._owner = OwningProcess()

    def describe(self) -> str:
        """Return user, host and database name, but no other part of the URL, which may contain a
        password."""
        parts = self._parts
        user = f"{parts['user']}@" if parts.get("user") else ""
        port = f":{parts['port']}" if parts.get("port") else ""
        return f"postgresql://{user}{parts.get('host') or ''}{port}/{parts.get('dbname') or ''}"

    async def open(self) -> None:
        self._owner = OwningProcess()
        try:
            await self._reach()
            await self._pool.open(wait=True, timeout=15)
            await self._look_for_role()
        except (PoolTimeout, psycopg.Error) as error:
            await self._pool.close()
            raise self._unreachable(error) from None

    async def _reach(self) -> None:
        """Connect once, because the pool would retry for long and not say why it fails."""
        try:
            await (await AsyncConnection.connect(self._url)).close()
        except psycopg.Error as error:
            raise self._unreachable(error) from None

    def _unreachable(self, error: Exception) -> StorageError:
        why = str(error).partition("\n")[0].strip().rstrip(".")
        if (password := str(self._parts.get("password") or "")) and password in why:
            why = type(error).__name__
        return StorageError(
            f"Can't reach Postgres at {self.describe()} ({why}). Check that it runs, and the address, user and password."
        )

    async def close(self) -> None:
        if self._owner.is_this:  # a forked process would end the connections of its parent
            await self._pool.close()

    async def _check(self, connection: Connection) -> None:
        """Check a connection. It costs a round trip, so only idle ones are checked, and all after
        one was lost."""
        if connection.used_at < max(time.monotonic() - _TRUSTED_SECONDS, self._doubted_at):
            await AsyncConnectionPool.check_connection(connection)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        self._owner.check()
        try:
            async with self._pool.connection() as connection:
                yield connection
                connection.used_at = time.monotonic()
        except psycopg.errors.DiskFull as error:
            raise StorageFull(
                "The Postgres server has no space left. Free some and try again; nothing acknowledged is lost."
            ) from error
        except PoolTimeout as error:
            await self._reach()
            raise StorageBusy(
                "All Postgres connections were in use for too long. Try again, or raise ERSTWHILE_POOL."
            ) from error
        except psycopg.errors.ReadOnlySqlTransaction as error:
            raise StorageError(
                "This Postgres takes no writes (a standby?). Point ERSTWHILE_DATABASE at the primary."
            ) from error
        except psycopg.OperationalError as error:
            raise StorageError(
                f"Postgres broke off ({type(error).__name__}). Try again."
            ) from error

    async def _rerun(self, attempt: Callable[[], Awaitable[T]]) -> T:
        for left in reversed(range(_RERUNS)):
            try:
                return await attempt()
            except (StorageError, psycopg.Error) as error:
                undone = isinstance(error, _Gone) or isinstance(error.__cause__ or error, _RERUN)
                if not left or not undone:
                    raise
                # Random, so that the same two do not collide again.
                await asyncio.sleep(random.uniform(0, 0.02 * (_RERUNS - left)))
        raise AssertionError("unreachable")

    async def write(self, space: str, unit: Unit[T]) -> T:
        return await self._rerun(lambda: self._write(space, unit))

    async def _write(self, space: str, unit: Unit[T]) -> T:
        async with self._transaction(space) as transaction:
            result = await unit(transaction)
            crash.point("storage.before_commit")
        crash.point("storage.after_commit")
        self.written(space)
        return result

    async def read(self, space: str, unit: Unit[T]) -> T:
        return await self._rerun(lambda: self._read(space, unit))

    async def _read(self, space: str, unit: Unit[T]) -> T:
        async with self._transaction(space, read=True) as transaction:
            return await unit(transaction)

    @asynccontextmanager
    async def _transaction(
        self, space: str, *, read: bool = False
    ) -> AsyncIterator[PostgresTransaction]:
        """Run a transaction: commit it, or roll it back on any exception."""
        async with self._connection() as connection:
            exchange = Exchange(connection)
            try:
                row_security.begin(exchange, space, as_role=self._as_role, read=read)
                yield PostgresTransaction(exchange, space)
                if exchange.failed:
                    raise StorageError(
                        "A unit went on after a statement of it had failed; nothing of it is kept."
                    )
                if not read and not exchange.trips:
                    await exchange.ask()  # a connection that was lost is noticed before the commit
                exchange.queue("COMMIT", {})
                await exchange.end()
            except psycopg.OperationalError as error:
                await exchange.abandon()
                if exchange.trips > 1 or not connection.closed:
                    raise
                self._doubted_at = time.monotonic()
                raise _Gone(f"Postgres broke off ({type(error).__name__}). Try again.") from error
            except BaseException:  # whatever ended the unit, nothing of it is kept
                await exchange.abandon()
                raise

    async def version(self) -> int:
        async with self._connection() as connection:
            return await _version(connection)

    async def migrate(self, migrations: Sequence[Migration]) -> bool:
        try:
            # It may deadlock with running units.
            done = await self._rerun(lambda: self._migrate(migrations))
        except psycopg.errors.InsufficientPrivilege as error:
            raise StorageError(
                f"The tables at {self.describe()} need a change that this login may not make. Run `erstwhile migrate` first, "
                "with the login that owns the database."
            ) from error
        await self._look_for_role()
        return done

    async def _migrate(self, migrations: Sequence[Migration]) -> bool:
        async with self._connection() as connection, connection.transaction():
            # One process at a time, across all machines.
            await connection.execute("SELECT pg_advisory_xact_lock(7303014)")
            if migrations:
                if await _version(connection) != migrations[0].version - 1:
                    return False
                await row_security.remove_policies(connection)
            for each in migrations:
                await connection.execute(each.sql)
                added = "INSERT INTO migrations (version, name) VALUES (%s, %s)"
                await connection.execute(added, (each.version, each.name))
            await row_security.create_policies(connection)
            crash.point("migrate.before_commit")
            return True

    async def _look_for_role(self) -> None:
        async with self._connection() as connection:
            self._as_role = await row_security.has_role(connection)

    async def verify(
        self,
    ) -> None: ...  # processes that run may go on while a newer version is brought in

    async def foreign_objects(self) -> list[str]:
        async with self._connection() as connection:
            return await row_security.foreign_objects(connection)

    async def schema(self) -> str:
        async with self._connection() as connection:
            columns = await connection.execute(
                "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '')"
                " AS line FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1"
            )
            lines = [row["line"] for row in await columns.fetchall()]
            indexes = await connection.execute(
                "SELECT indexdef AS line FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1"
            )
            lines += [row["line"] for row in await indexes.fetchall()]
        return "\n".join(lines)

    async def clean(self) -> bool:
        return True  # deleted rows are unreachable, and autovacuum removes them from the disk

    async def gaps(self) -> list[str]:
        async with self._connection() as connection:
            return await row_security.gaps(connection, as_role=self._as_role)

    async def check(self) -> list[str]:
        async with self._connection() as connection:
            broken = await connection.execute(
                "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisvalid"
            )
            names = [row["relname"] for row in await broken.fetchall()]
            return [f"the index {name} is not valid: REINDEX it" for name in names]

    async def sizes(self) -> dict[str, int]:
        async with self._connection() as connection:
            found = await connection.execute(SIZES)
            return {row["name"]: row["bytes"] for row in await found.fetchall()}
