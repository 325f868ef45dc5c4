"""SQLite through apsw: one writer thread with group commit, readers on their own connections.

Units that arrive during a commit are queued and then written together: each in its savepoint, one
commit (one fsync) for all. A unit that fails is rolled back alone. No unit is acknowledged before
the commit.
"""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any, TypeVar, cast

import apsw

from erstwhile.base import crash
from erstwhile.base.errors import InvalidInput, StorageError
from erstwhile.base.records import dataclass
from erstwhile.base.system import OwningProcess
from erstwhile.storage import Dialect, Migration, Row, Unit, Written, nobody, sqlite_health
from erstwhile.storage.queries import Query
from erstwhile.storage.sqlite_file import Damage, FileIdentity, FileReplaced, connect, create
from erstwhile.storage.vacuum import vacuum

T = TypeVar("T")
Columns = dict[str, tuple[str, ...]]  # those of each statement

_GROUP = 512  # units in one commit; more would make the first ones wait too long
BUSY_SECONDS = 30.0  # how long to wait for another process's write
_READERS = 4  # reading connections
_CLOSED = "This memory is closed. Open it again with erstwhile.open(…)."


class SQLiteTransaction:
    dialect: Dialect = "sqlite"

    def __init__(self, connection: apsw.Connection, columns: Columns, space: str) -> None:
        self._connection, self._columns, self.space = connection, columns, space

    def _bind(self, query: Query, params: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"space": self.space, **params} if "space" in query.takes else params

    async def all(self, query: Query, **params: Any) -> list[Row]:
        cursor = self._connection.execute(query.sqlite, self._bind(query, params))
        first = next(cursor, None)
        if first is None:
            return []
        names = self._columns.get(query.sqlite)
        if names is None:
            names = tuple(column[0] for column in cursor.get_description())
            self._columns[query.sqlite] = names
        # As [dict(zip(names, row)) for row in …], in half the time: contexts read hundreds of rows.
        return list(map(dict, map(zip, repeat(names), (first, *cursor))))

    async def first(self, query: Query, **params: Any) -> Row | None:
        rows = await self.all(query, **params)
        return rows[0] if rows else None

    async def run(self, query: Query, **params: Any) -> int:
        before = self._connection.total_changes()
        self._connection.execute(query.sqlite, self._bind(query, params))
        return self._connection.total_changes() - before

    async def run_many(self, query: Query, rows: Sequence[Row], **shared: Any) -> None:
        if ":rows" in query.sqlite:
            await self.run(query, rows=json.dumps(rows), **shared)
        else:
            bound = self._bind(query, shared)
            self._connection.executemany(query.sqlite, [{**bound, **row} for row in rows])

    async def finish(self) -> None: ...

    async def together(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        return [await each for each in work]


def _drive(work: Coroutine[Any, Any, T]) -> T:
    """Run a unit on this thread. It never pauses: SQLite calls return at once."""
    try:
        work.send(None)
    except StopIteration as stop:
        return cast(T, stop.value)
    work.close()
    raise RuntimeError("A unit may await nothing but its transaction.")


@dataclass(slots=True)
class _Waiting:
    """Queued work: a unit, which shares a commit, or work that needs the connection alone."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    space: str = ""
    unit: Unit[Any] | None = None
    alone: Callable[[apsw.Connection], Any] | None = None
    result: Any = None
    error: BaseException | None = None

    def resolve(self) -> None:
        if self.future.done():  # cancelled: the work is done all the same
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


_EMPTY: Any = object()  # the queue is empty now; None: it is closed


class SQLiteDatabase:
    dialect: Dialect = "sqlite"

    def __init__(self, path: str, *, busy_seconds: float | None = None) -> None:
        self._path = path
        self._busy_seconds = BUSY_SECONDS if busy_seconds is None else busy_seconds
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="erstwhile-read")
        self._closed = False
        self._reading = threading.local()
        self._read_connections: list[apsw.Connection] = []
        self._connection: apsw.Connection | None = None
        self._identity, self._schema = FileIdentity(path), sqlite_health.SchemaWatch(path)
        self._owner, self._damage = OwningProcess(), Damage(path)
        self._columns: Columns = {}
        self.written: Written = nobody

    def describe(self) -> str:
        return str(Path(self._path).resolve())

    async def open(self) -> None:
        self._owner = OwningProcess()
        create(self._path)
        with self._damage.noted():
            await asyncio.to_thread(self._writable)
        name = "erstwhile-write"
        self._thread = threading.Thread(target=self._write_loop, name=name, daemon=True)
        self._thread.start()

    async def close(self) -> None:
        if not self._owner.is_this:
            return  # SQLite's locks belong to the process that opened it, which closes it
        if self._thread is not None:
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)
            self._thread = None
        self._closed = True
        self._readers.shutdown(wait=True)
        for connection in self._read_connections:
            connection.close()
        self._read_connections.clear()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def read(self, space: str, unit: Unit[T]) -> T:
        self._owner.check()
        if self._closed:
            raise StorageError(_CLOSED)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._read, space, unit)

    def _read(self, space: str, unit: Unit[T]) -> T:
        with self._damage.noted():
            connection = self._reader()
            connection.execute("BEGIN")  # one snapshot for the whole unit
            try:
                work = unit(SQLiteTransaction(connection, self._columns, space))
                return _drive(cast("Coroutine[Any, Any, T]", work))
            finally:
                if connection.in_transaction:  # a disk failure has ended it already
                    connection.execute("ROLLBACK")

    def _reader(self) -> apsw.Connection:
        """Return the reading connection of this thread."""
        self._identity.check()
        connection: apsw.Connection | None = getattr(self._reading, "connection", None)
        if connection is None:
            connection = connect(self._path, busy_seconds=self._busy_seconds, read_only=True)
            self._read_connections.append(connection)
            self._identity.check()  # it was opened by its name
            self._reading.connection = connection
        return connection

    # Writing

    async def write(self, space: str, unit: Unit[T]) -> T:
        self._damage.refuse()
        result = await self._queued(space=space, unit=unit)
        self.written(space)
        return cast(T, result)

    async def _queued(self, **work: Any) -> Any:
        if self._thread is None:
            raise StorageError(_CLOSED)
        self._owner.check()
        loop = asyncio.get_running_loop()
        waiting = _Waiting(loop, loop.create_future(), **work)
        self._queue.put(waiting)
        return await waiting.future

    def _write_loop(self) -> None:
        task = self._queue.get()
        while task is not None:
            if task.alone is not None:
                self._work_alone(task)
                _resolve([task])
                task = self._queue.get()
                continue
            group, task = self._gather(task)
            self._write_group(group)
            _resolve(group)
            if task is _EMPTY:
                task = self._queue.get()

    def _gather(self, task: _Waiting) -> tuple[list[_Waiting], _Waiting | None]:
        """Return the units that are waiting now, and what follows them in the queue."""
        group = [task]
        while len(group) < _GROUP:
            try:
                after = self._queue.get_nowait()
            except queue.Empty:
                break
            if after is None or after.alone is not None:
                return group, after
            group.append(after)
        return group, _EMPTY

    def _write_group(self, group: list[_Waiting]) -> None:
        try:
            with self._damage.noted():
                connection = self._writable()
                connection.execute("BEGIN IMMEDIATE")
                self._schema.check(connection)
                for waiting in group:
                    self._write_one(connection, waiting)
                crash.point("storage.before_commit")
                connection.execute("COMMIT")
                crash.point("storage.after_commit")
                self._identity.check()
        except Exception as error:  # noqa: BLE001 - whatever broke the commit, each waiting caller must hear of it
            for waiting in group:
                waiting.error = waiting.error or error
            self._abandon(error)

    def _write_one(self, connection: apsw.Connection, waiting: _Waiting) -> None:
        connection.execute("SAVEPOINT unit")
        try:
            tx = SQLiteTransaction(connection, self._columns, waiting.space)
            work = cast("Unit[Any]", waiting.unit)(tx)
            waiting.result = _drive(cast("Coroutine[Any, Any, Any]", work))
        except (apsw.FullError, apsw.IOError, apsw.CorruptError):
            raise  # the state of the whole transaction is unknown, not only of this unit
        except Exception as error:  # noqa: BLE001 - a unit's failure is its caller's, the others go on
            waiting.error = error
            connection.execute("ROLLBACK TO unit")
        connection.execute("RELEASE unit")

    def _writable(self) -> apsw.Connection:
        self._identity.check()
        if self._connection is None:
            self._connection = connect(self._path, busy_seconds=self._busy_seconds, read_only=False)
            self._identity.remember()
        return self._connection

    def _abandon(self, error: Exception) -> None:
        """Close the connection after a failed commit or fsync; the next write opens a new one."""
        if isinstance(error, FileReplaced):
            return  # the connection is right, should the file be put back
        connection, self._connection = self._connection, None
        self._identity.forget_log()
        if connection is not None:
            with suppress(apsw.Error):  # closing attempts a checkpoint on the failed disk
                connection.close(True)

    # Structure and health

    def _work_alone(self, task: _Waiting) -> None:
        try:
            with self._damage.noted():
                task.result = cast("Callable[[apsw.Connection], Any]", task.alone)(self._writable())
                self._identity.check()
        except Exception as error:  # noqa: BLE001 - handed to the caller
            task.error = error
            self._abandon(error)

    async def version(self) -> int:
        return cast(int, await self._queued(alone=sqlite_health.version))

    async def verify(self) -> None:
        self._damage.refuse()
        await self._queued(alone=self._schema.check)

    async def foreign_objects(self) -> list[str]:
        return cast(list[str], await self._queued(alone=sqlite_health.foreign_objects))

    async def migrate(self, migrations: Sequence[Migration]) -> bool:
        def work(connection: apsw.Connection) -> bool:
            connection.execute("BEGIN IMMEDIATE")
            try:
                before = sqlite_health.version(connection)
                due = bool(migrations) and before == migrations[0].version - 1
                if due and before == 0 and list(connection.execute("SELECT 1 FROM sqlite_schema")):
                    raise StorageError(
                        f"{self._path} holds another program's tables. Give erstwhile a file of its own."
                    )
                for each in migrations if due else ():
                    list(connection.execute(each.sql))  # apsw waits until the rows are read
                    added = "INSERT INTO migrations (version, name) VALUES (?, ?)"
                    connection.execute(added, (each.version, each.name))
                crash.point("migrate.before_commit")
                connection.execute("COMMIT")
            except BaseException:  # on any failure the old schema stays
                if connection.in_transaction:  # a full disk has rolled it back already
                    connection.execute("ROLLBACK")
                raise
            return due

        return cast(bool, await self._queued(alone=work))

    async def schema(self) -> str:
        def work(connection: apsw.Connection) -> str:
            made = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name"
            rows = connection.execute(made)
            return "\n".join(" ".join(str(sql).split()) for (sql,) in rows)

        return cast(str, await self._queued(alone=work))

    async def clean(self) -> bool:
        patience = self._busy_seconds
        return cast(bool, await self._queued(alone=partial(vacuum, patience=patience)))

    async def gaps(self) -> list[str]:
        return []  # SQLite has no row-level security: queries filter by `space`

    async def check(self) -> list[str]:
        return self._damage.found(await self._queued(alone=sqlite_health.damage))

    async def sizes(self) -> dict[str, int]:
        return cast("dict[str, int]", await self._queued(alone=sqlite_health.sizes))


def _resolve(group: list[_Waiting]) -> None:
    """Resolve futures with one wake-up per event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Waiting]] = defaultdict(list)
    for waiting in group:
        by_loop[waiting.loop].append(waiting)
    for loop, members in by_loop.items():
        try:
            loop.call_soon_threadsafe(list, map(_Waiting.resolve, members))
        except RuntimeError:
            if not loop.is_closed():  # a closed loop has no waiting callers
                raise


def path_of(url: str) -> str:
    """Read `sqlite:///relative.db`, `sqlite:////absolute.db` or a plain path."""
    path = url.removeprefix("sqlite:///") if url.startswith("sqlite:") else url
    if not path or path == ":memory:":
        raise InvalidInput("erstwhile keeps its log in a file. Give a path such as chat.db.")
    return path
