"""Measure the structure of the source: `python -m bench.structure [--json | --write]`.

Prints one row per measure with its value before the second build, now, and the target. `--write` puts the table into
docs/architecture.md. tests/house/test_structure.py holds each measure to its limit, so that it can only get better.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from erstwhile import layers
from erstwhile.base.settings import Settings, described
from erstwhile.cli.app import ALL, EVERYDAY

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "erstwhile"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- structure: begin -->", "<!-- structure: end -->"

LAYERS = tuple(entry.home.partition(".")[0] for entry in layers.ENTRIES)  # the names of their folders
VERB = "flagged"  # the verb whose signatures and files are counted
INTERFACES = ("cli", "dashboard", "mcp", "bots")  # these call a verb, and may have a function of the same name

# Measured on an idle machine with 2 cores; no script can count it.
TEST_MINUTES = 9.3


@dataclass(frozen=True, slots=True)
class Measure:
    """What is counted, the value before the second build, the target, and the limit that a test holds it to."""

    name: str
    count: Callable[[], float]
    before: str
    target: float | None
    limit: float
    unit: str = ""

    @property
    def goal(self) -> str:
        if self.target is None:
            return "none"
        return f"≤ {self.show(self.target)}" if self.target else "0"

    def show(self, value: float) -> str:
        return f"{value:.1f}{self.unit}" if self.unit else f"{value:,.0f}"


@cache
def trees() -> dict[str, ast.Module]:
    """Every module of the package, by its path below src/erstwhile."""
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}


@cache
def _imports(tree: ast.Module) -> list[tuple[str, str, str]]:
    """Module, name and alias of each `from erstwhile… import …`."""
    return [
        (node.module, name.name, name.asname or name.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("erstwhile")
        for name in node.names
    ]


def _package(path: str) -> str:
    return ".".join(("erstwhile", *Path(path).parent.parts))


def structured_files() -> float:
    """Count files outside layers/structured that name the layer."""
    files = [path for suffix in ("py", "sql", "md") for path in SOURCE.rglob(f"*.{suffix}")]
    outside = [path for path in files if "layers/structured" not in path.as_posix()]
    return sum(1 for path in outside if re.search(r"\bstructured\b", path.read_text()))


@cache
def _layer_words() -> dict[str, str]:
    """The names of layers, kinds, tables and prompts, each with its layer."""
    found = {}
    for entry in layers.ENTRIES:
        words = {entry.name, entry.layer.name, *entry.tasks, *(table.name for table in entry.layer.tables)}
        found |= dict.fromkeys({*words, *(kind.name for kind in entry.kinds)}, entry.name)
    return found


def _listed_layers(node: ast.AST) -> set[str]:
    """The layers that a tuple, list, set or dictionary (by its keys) names."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Dict(keys=parts):
            inside = (each for part in parts if part is not None for each in ast.walk(part))
        case _:
            return set()
    words = _layer_words()
    return {words[each.value] for each in inside if isinstance(each, ast.Constant) and each.value in words}


@cache
def layer_lists() -> float:
    """Count modules outside the layers' own folders that import four or more layers, or have a list
    that names four or more of them, their kinds, tables or prompts. The package itself names the
    public types of layers, so it is not counted."""
    found = 0
    for path, tree in trees().items():
        if path == "__init__.py" or path.startswith(tuple(f"layers/{layer}/" for layer in LAYERS)):
            continue
        named = {
            part
            for module, name, _ in _imports(tree)
            for part in ([name] if module == "erstwhile.layers" else module.split(".")[2:3])
            if module.startswith("erstwhile.layers") and part in LAYERS
        }
        listed = max((len(_listed_layers(node)) for node in ast.walk(tree)), default=0)
        found += len(named) >= 4 or listed >= 4
    return found


def signatures() -> float:
    """Count definitions of the sample verb, but for the interfaces that only call it."""
    inside = [tree for path, tree in trees().items() if Path(path).parts[0] not in INTERFACES]
    functions = (node for tree in inside for node in ast.walk(tree))
    return sum(
        1 for node in functions if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == VERB
    )


def verb_files() -> float:
    """Count files that declare the sample verb, or pass a call of it on."""
    pattern = re.compile(rf"def {VERB}\(|\.{VERB}\(")
    return sum(1 for path in SOURCE.rglob("*.py") if pattern.search(path.read_text()))


def _verbs(kind: type) -> list[str]:
    return [name for name, member in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")]


def _objects() -> list[type]:
    import erstwhile

    exported = [getattr(erstwhile, name) for name in erstwhile.__all__]
    offered = [each for each in exported if inspect.isclass(each)]
    offered += [
        kind for name, module in sys.modules.items() if name.startswith("erstwhile.api") for kind in _in(module)
    ]
    return offered


def _in(module: object) -> list[type]:
    return [kind for _, kind in inspect.getmembers(module, inspect.isclass) if kind.__module__.startswith("erstwhile.")]


def most_verbs() -> float:
    """Count the public methods of the object that has most of them."""
    return max(len(_verbs(kind)) for kind in _objects())


def mixins() -> float:
    """Count the classes that `Memory` inherits verbs from."""
    import erstwhile

    bases = [kind for kind in erstwhile.Memory.__mro__[1:] if kind.__module__.startswith("erstwhile")]
    return sum(1 for kind in bases if any(name in vars(kind) for name in _verbs(kind)))


def commands() -> float:
    """Count the everyday commands of `erstwhile --help`."""
    return len(EVERYDAY)


def help_entries() -> float:
    """Count all lines of `erstwhile --help` that name a command: everyday commands, bots, groups and `migrate`."""
    return len(ALL)


@cache
def foreign_sql() -> float:
    """Count uses of a query that another package owns, also as `store.queries.name`, which an earlier count of 57 left out."""
    found = 0
    for path, tree in trees().items():
        foreign = {
            alias
            for module, name, alias in _imports(tree)
            if name == "queries" and module.rpartition(".")[0] != _package(path) and module != "erstwhile.storage"
        }
        modules = {alias for module, _, alias in _imports(tree) if module != _package(path)}
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(value=ast.Name(id=name)) if name in foreign:
                    found += 1
                case ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="queries")) if name in modules:
                    found += 1
    return found


@cache
def table_owners() -> dict[str, str]:
    """The package that owns each table: the one that declares it."""
    from erstwhile import layers
    from erstwhile.owners import owners

    declared = [(type(owner).__module__.rpartition(".")[0], owner.tables) for owner in owners()]
    declared += [(f"erstwhile.layers.{each.home.partition('.')[0]}", each.layer.tables) for each in layers.ENTRIES]
    found = {table.name: package for package, tables in declared for table in tables}
    return found | {"migrations": "erstwhile.storage"} | dict.fromkeys(SHARED, "")


WRITES = re.compile(r"\b(?:INSERT INTO|DELETE FROM|(?<!FOR )(?<!DO )UPDATE)\s+(\w+)")
READS = re.compile(r"(?<!DELETE )\b(?:FROM|JOIN|USING)\s+(\w+)")
SHARED = ("erasing",)  # each owner adds to the list of what is erased, and reads it


@dataclass(frozen=True, slots=True)
class SqlUse:
    """The tables of other packages that a query writes and reads, and whether it reads or writes one of its own."""

    name: str
    writes: frozenset[str]
    reads: frozenset[str]
    own: bool


@cache
def sql_uses() -> tuple[SqlUse, ...]:
    """What each query does with tables of other packages: those of queries*.sql, and of SQL in Python."""
    written = [
        (f"{_package(str(file.relative_to(SOURCE)))}.{name}", sql)
        for file in sorted(SOURCE.rglob("queries*.sql"))
        for name, sql in _blocks(file).items()
    ]
    for path, tree in trees().items():
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in told)
        sql = [
            node.value for node in texts if isinstance(node.value, str) and re.search("SELECT|DELETE FROM", node.value)
        ]
        written += [(f"{_package(path)}.{Path(path).stem}", each) for each in sql]
    return tuple(_sql_use(name, sql) for name, sql in written)


def _sql_use(name: str, sql: str) -> SqlUse:
    sql, package = re.sub(r"--.*", "", sql), name.rpartition(".")[0]
    foreign = []
    own = False
    for pattern in (WRITES, READS):
        owned = {table: table_owners()[table] for table in pattern.findall(sql) if table in table_owners()}
        own = own or package in owned.values()
        foreign.append(frozenset(table for table, owner in owned.items() if owner not in (package, "")))
    return SqlUse(name, *foreign, own)


def foreign_writes() -> float:
    """Count queries that write a table of another package."""
    return sum(1 for use in sql_uses() if use.writes)


def foreign_reads() -> float:
    """Count queries that read tables of other packages only."""
    return sum(1 for use in sql_uses() if use.reads and not use.own)


def joined_reads() -> float:
    """Count queries that read tables of other packages beside one of their own."""
    return sum(1 for use in sql_uses() if use.reads and use.own)


def _blocks(path: Path) -> dict[str, str]:
    pieces = re.split(r"^-- name: (\w+)\s*$", path.read_text() if path.is_file() else "", flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


_SPELLINGS = (
    (r"^\s*--.*$", ""),
    (r"::\w+", ""),
    (r"\s+FOR UPDATE( OF \w+)?( SKIP LOCKED)?", ""),
    (r"= ANY \(ARRAY\((SELECT .*?)\)\)(?=\W|$)", r"IN (\1)"),
    (r"jsonb_array_elements_text\((:?[\w.]+)\)( AS \w+ \(value\))?", r"json_each(\1)"),
    (r"SELECT value FROM json_each|SELECT json_each", "json_each"),
)


def _spelling(sql: str) -> str:
    for pattern, instead in _SPELLINGS:
        sql = re.sub(pattern, instead, sql, flags=re.MULTILINE)
    insert = re.sub(
        r"SELECT (:space.*?) FROM json_to_recordset\(:rows\) AS r \(.*?\)", r"VALUES (\1)", " ".join(sql.split())
    )
    return re.sub(r"\br\.|(?<=[ (]):", "", insert).replace(" )", ")").replace("( ", "(")


def twin_pairs() -> float:
    """Count queries written for each database that differ only in casts, lists, locks or batches."""
    found = 0
    for file in SOURCE.rglob("queries.postgres.sql"):
        shared = _blocks(file.with_name("queries.sql")) | _blocks(file.with_name("queries.sqlite.sql"))
        for name, sql in _blocks(file).items():
            found += name in shared and _spelling(shared[name]) == _spelling(sql)
    return found


def repeated_classes() -> float:
    """Count public class names that exist in several modules."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for path, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                names[node.name].add(path)
    return sum(1 for modules in names.values() if len(modules) > 1)


@cache
def _lines() -> Counter[str]:
    counted: Counter[str] = Counter()
    for suffix in ("py", "sql", "c", "h"):
        for path in SOURCE.rglob(f"*.{suffix}"):
            lines = path.read_text().splitlines()
            counted[suffix] += len(lines)
            counted["long"] += sum(1 for line in lines if len(line) > 100)
    return counted


def source_lines() -> float:
    """Count lines of Python and C in src, rounded up to 500, so that the table doesn't change with every commit."""
    return -(-(_lines()["py"] + _lines()["c"] + _lines()["h"]) // 500) * 500


def long_lines() -> float:
    """Percentage of lines of Python, SQL and C that are longer than 100 characters."""
    counted = dict(_lines())
    return round(100 * counted.pop("long") / sum(counted.values()), 1)


def settings() -> float:
    return len(Settings.fields)


def values() -> float:
    """Count settings, those of groups one by one."""
    return len(described())


MEASURES = (
    Measure("files outside its own folder that name `structured`", structured_files, "83", 12, 12),
    Measure("modules that list four or more layers by hand", layer_lists, "not measured", 1, 2),
    Measure("times the signature of one verb is written", signatures, "4–5", 1, 1),
    Measure("source files that declare one verb or call it", verb_files, "6 (13 with its shapes)", 3, 3),
    Measure("verbs on the largest object", most_verbs, "85", 14, 14),
    Measure("mixins it is made of", mixins, "13", 0, 0),
    Measure("everyday commands in `--help`", commands, "51, all of them", 20, 20),
    Measure("entries of `--help`: everyday commands, bots, groups, `migrate`", help_entries, "51", None, 35),
    Measure("uses of another package's query", foreign_sql, "95", 0, 0),
    Measure("queries that write another package's table", foreign_writes, "not measured", 0, 0),
    Measure("queries that read only other packages' tables", foreign_reads, "not measured", 0, 0),
    Measure("queries that join their own table with others'", joined_reads, "not measured", 88, 88),
    Measure("SQL written twice that differs only in spelling", twin_pairs, "48", 0, 0),
    Measure("public class names in several modules", repeated_classes, "96", 0, 0),
    Measure("source lines, Python and C", source_lines, "72,900", 60_000, 88_500),
    Measure("share of lines over 100 characters", long_lines, "7.1 %", 2, 2, " %"),
    Measure("`make test`, idle 2-core machine", lambda: TEST_MINUTES, "22 min", 8, 10, " min"),
    Measure("settings, each group of them as one", settings, "60", 40, 40),
    Measure("values that can be set", values, "not measured", 40, 55),
)


def table() -> str:
    """Return the Markdown table of all measures."""
    rows = [f"| {each.name} | {each.before} | {each.show(each.count())} | {each.goal} |" for each in MEASURES]
    return "\n".join(("| measure | before | now | target |", "|---|---|---|---|", *rows))


def written() -> str:
    """Return the table that docs/architecture.md has now."""
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0].strip()


def write() -> None:
    head, begin, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{head}{begin}\n{table()}\n{END}{rest.partition(END)[2]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--write", action="store_true", help="put the table into docs/architecture.md")
    given = parser.parse_args()
    if given.json:
        print(json.dumps({each.name: each.count() for each in MEASURES}, indent=2))
        return
    if given.write:
        write()
    print(table())


if __name__ == "__main__":
    main()
