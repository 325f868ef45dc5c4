"""The benchmarks: what they measure is said in docs/benchmarks.md."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.cli.options import Json, Memory, group, reads_space
from erstwhile.cli.output import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from erstwhile.benchmarks.own_questions import OwnReport
    from erstwhile.benchmarks.score import (
        BenchmarkCase,
        BenchmarkOptions,
        BenchmarkReport,
        ScoreTable,
    )

bench = group()


def _file(told: str) -> Any:
    return typer.Option(exists=True, dir_okay=False, readable=True, help=told)


Data = Annotated[Path, _file("The data set's .json file.")]
OwnData = Annotated[Path, _file('Lines such as {"question": "…", "evidence": ["…"]}.')]
Where = Annotated[
    str | None,
    typer.Option(
        "--database",
        "-d",
        help="Measure on this one, in new spaces called bench-… (default: a temporary SQLite file).",
    ),
]
Conversations = Annotated[
    int | None,
    typer.Option("--limit-conversations", min=1, help="Only the first so many conversations."),
]
Questions = Annotated[
    int | None, typer.Option(min=1, help="At most so many of each conversation, evenly spread.")
]
Budgets = Annotated[str, "Tokens of the contexts to look into, comma-separated."]
Kinds = Annotated[str, "Kinds that the first recall table searches, comma-separated."]
_ANSWER = "Have the chat model answer so many questions of each conversation, and judge them."
Answer = Annotated[int, typer.Option(min=0, help=_ANSWER)]
Compare = Annotated[bool, "On SQLite and on the Postgres of --database, and the difference."]

_BUDGETS = "1000,2000,4000"


@bench.command("locomo")
def locomo(
    data: Data,
    database: Where = None,
    limit_conversations: Conversations = None,
    questions: Questions = None,
    budgets: Budgets = _BUDGETS,
    kinds: Kinds = "message",
    answer: Answer = 0,
    compare_databases: Compare = False,
    json: Json = False,
) -> None:
    """LoCoMo: ten long conversations of two people, 1,500 questions with evidence."""
    from erstwhile.benchmarks import data_sets

    options = _options(kinds, budgets, limit_conversations, questions, answer)
    of = partial(data_sets.locomo, data)
    _run("locomo", data, of, options, (database, compare_databases, json))


@bench.command("longmemeval")
def longmemeval(
    data: Data,
    one_channel: Annotated[bool, "All of a history in one channel."] = False,
    database: Where = None,
    limit_conversations: Conversations = None,
    budgets: Budgets = _BUDGETS,
    kinds: Kinds = "message",
    answer: Answer = 0,
    compare_databases: Compare = False,
    json: Json = False,
) -> None:
    """LongMemEval: each question with a history of its own, of many chats with an assistant."""
    from erstwhile.benchmarks import data_sets

    options = _options(kinds, budgets, limit_conversations, None, answer)
    of = partial(data_sets.longmemeval, data, one_channel=one_channel)
    _run("longmemeval", data, of, options, (database, compare_databases, json))


def _options(
    kinds: str, budgets: str, conversations: int | None, questions: int | None, answer: int
) -> BenchmarkOptions:
    from erstwhile.benchmarks.score import BenchmarkOptions

    chosen = tuple(filter(None, (kind.strip() for kind in kinds.split(","))))
    return BenchmarkOptions(chosen, _budgets(budgets), conversations, questions, answer)


@bench.command("file")
@reads_space
async def file(memory: Memory, data: OwnData, budgets: Budgets = _BUDGETS) -> Result:
    """Your own questions, asked of your own space: what is found, what is missed, and why."""
    from erstwhile.benchmarks import own_questions

    report = await own_questions.measure(
        memory, data.name, own_questions.read(data), _budgets(budgets)
    )
    return report, lambda: _show_own(report)


def _show_own(report: OwnReport) -> None:
    output.console().rule(f"{report.file}: {report.questions} questions to space {report.space}")
    for table in report.tables.values():
        _table(table, ".1f")
    if report.misses:
        output.console().print("\nmissed: evidence that is not among the first ten hits")
        rows = [(each.question, each.evidence, each.reason) for each in report.misses]
        output.table(("question", "evidence", "why"), rows)
    if report.context_misses:
        output.console().print("\nmissed: evidence that is not in the context")
        lacking = []
        for each in report.context_misses:
            budgets = ", ".join(map(str, each.budgets))
            lacking.append((each.question, each.evidence, budgets, each.reason))
        output.table(("question", "evidence", "tokens", "why"), lacking)


class _Bars:
    """A bar for the conversations, and one for the questions of the present one."""

    def __init__(self, title: str, total: int | None) -> None:
        self._progress = output.progress()
        self._all = self._progress.add_task(title, total=total)
        self._one = self._progress.add_task("", total=None)
        self._started = 0

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def conversation(self, name: str, questions: int) -> None:
        self._progress.update(self._all, completed=self._started)
        self._started += 1
        self._progress.reset(self._one, total=questions, description=f"  {name}")

    def question(self) -> None:
        self._progress.advance(self._one)


def _run(
    name: str,
    data: Path,
    cases: Callable[[], Iterable[BenchmarkCase]],
    options: BenchmarkOptions,
    on: tuple[str | None, bool, bool],
) -> None:
    """Measure and show. `on`: the database, whether to compare it with SQLite, and whether to print
    JSON."""
    from erstwhile.benchmarks import score
    from erstwhile.benchmarks.run import run
    from erstwhile.benchmarks.score import BenchmarkRun

    database, compare, json = on
    if compare and not _is_postgres(database or ""):
        why = "give the Postgres to compare with: --database postgresql://…"
        raise typer.BadParameter(why, param_hint="--compare-databases")

    def measure(database: str) -> BenchmarkReport:
        kind = "postgres" if _is_postgres(database) else "sqlite"
        result = BenchmarkRun(name, data.name, kind, options)
        with _Bars(f"{name} on {kind}", options.conversations) as bars:
            asyncio.run(run(cases(), database, result, bars))
        return score.report(result)

    with tempfile.TemporaryDirectory(prefix="erstwhile-bench-") as folder:
        file = str(Path(folder) / "bench.db")
        if not compare:
            report = measure(database or file)
            output.print_json(report) if json else _show(report)
            return
        reports = measure(file), measure(str(database))
    apart = score.difference(*reports)
    if json:
        output.print_json({"sqlite": reports[0], "postgres": reports[1], "difference": apart})
        return
    for report in reports:
        _show(report)
    output.console().rule("postgres − sqlite, in points")
    for table in apart.values():
        _table(table, "+.2f")


def _is_postgres(database: str) -> bool:
    return database.startswith(("postgresql:", "postgres:"))


def _show(report: BenchmarkReport) -> None:
    console = output.console()
    console.rule(f"{report.benchmark} on {report.database}")
    measured = f"{report.turns:,} turns, {report.questions:,} questions"
    left_out = f"{report.left_out} turns named as evidence are not in the file."
    console.print(f"{report.conversations} conversations, {measured}; {left_out}")
    for table in report.tables.values():
        _table(table, ".1f")
    times = report.times
    console.print(
        f"\nsearch p50 {times.search_p50_ms:.1f} ms, p95 {times.search_p95_ms:.1f} ms; "
        f"context p50 {times.context_p50_ms:.1f} ms, p95 {times.context_p95_ms:.1f} ms; "
        f"{times.ingest_per_second:,.0f} messages/s stored, memory made in {times.settle_seconds:.1f} s."
    )
    if report.parked:
        what = "parked: what they should have made is missing from these figures."
        console.print(f"[yellow]{output.counted(report.parked, 'job')} {what}")


def _table(table: ScoreTable, style: str) -> None:
    output.console().print(f"\n{table.title}")
    names = list(table.overall.values)

    rows = [
        (name, group.questions, *(format(group.values[each], style) for each in names))
        for name, group in ({**table.categories, "all": table.overall}).items()
    ]
    output.table(("category", "questions", *names), rows)


def _budgets(given: str) -> tuple[int, ...]:
    try:
        budgets = tuple(dict.fromkeys(int(each) for each in given.split(",")))
    except ValueError:
        raise InvalidInput(f"--budgets takes numbers, such as {_BUDGETS}, not {given!r}.") from None
    if min(budgets) < 1:
        raise InvalidInput("A budget is at least one token.")
    return budgets
