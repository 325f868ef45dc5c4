"""What every command takes, how it opens the memory, and how it prints what it found."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin

import typer

from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput, NotFound, SettingsError
from erstwhile.base.page import every
from erstwhile.cli import output
from erstwhile.cli.output import Result, counted

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory as Memory
else:
    Memory = Any  # imported when a command opens one

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Work = Callable[..., Awaitable[Result]]

_NAMED = 8  # names that an error lists
_FEWEST = 4  # characters of an id after its kind, so that a slip does not name another

Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        "-d",
        help="A path, sqlite:///… or postgresql://… (default: ERSTWHILE_DATABASE, else ./erstwhile.db).",
    ),
]
Space = Annotated[
    str | None,
    typer.Option("--space", "-s", help="The space (default: ERSTWHILE_SPACE, else 'default')."),
]
Json = Annotated[bool, "Print JSON."]
Id = Annotated[str, "A memory's id, or its first characters."]
Channel = Annotated[str, "The channel."]
Person = Annotated[str, "The person's id."]
By = Annotated[str | None, "Who does it (default: your user name)."]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask for confirmation.")]
DryRun = Annotated[bool, "Only say what would be done."]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most this many.")]
Cursor = Annotated[str | None, "Continue here, as printed with the page before."]
Days = Annotated[int, typer.Option(min=1, help="The last days, today included.")]
LogLevel = Annotated[str, "debug, info, warning or error."]


class CommandGroup(typer.Typer):
    """Commands whose parameters say in their types what they are for.

    `Annotated[str, "The text."]` is an argument, with a default an option, of a `bool` a flag.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(add_completion=False, rich_markup_mode=None, **given)

    def command(
        self, name: str | None = None, *, reads: bool = False, **given: Any
    ) -> Callable[[F], F]:
        """Make a coroutine a command of the memory: see `command` and `reads`."""
        register = super().command(name, **given)

        def add(work: F) -> F:
            opens = inspect.iscoroutinefunction(work)
            made = command(work, existing_space=reads, existing_channel=reads) if opens else work
            register(_declared(made))
            return work

        return add


def _declared(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)
    own = [
        each.replace(annotation=_parameter(each, function.__globals__))
        for each in signature.parameters.values()
    ]
    function.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    function.__annotations__ = {each.name: each.annotation for each in own}
    return function


def _parameter(given: inspect.Parameter, known: dict[str, Any]) -> Any:
    """Return the type of a parameter as Typer reads it."""
    hint = given.annotation
    hint = eval(hint, known) if isinstance(hint, str) else hint
    kind, *told = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if not told or not isinstance(told[0], str):
        return hint
    if given.default is inspect.Parameter.empty:
        return Annotated[kind, typer.Argument(help=told[0])]
    flag = [f"--{given.name.replace('_', '-')}"] if given.default is False else []
    return Annotated[kind, typer.Option(*flag, help=told[0])]


def group() -> CommandGroup:
    return CommandGroup(no_args_is_help=True)


@contextmanager
def needs(what: str, extra: str) -> Iterator[None]:
    """Say what to install where an import inside fails."""
    try:
        yield
    except ImportError as missing:
        how = f"pip install 'erstwhile[{extra}]'."
        raise SettingsError(f"{what} needs {missing.name}: {how}") from None


def set_log_level(level: str) -> None:
    from erstwhile.base import logs

    if level not in ("debug", "info", "warning", "error"):
        raise SettingsError(f"Unknown log level {level!r}. Use debug, info, warning or error.")
    logs.to_stderr(level)


def with_memory(
    work: Callable[[Memory], Awaitable[T]],
    database: str | None,
    space: str | None = None,
    **settings: Any,
) -> T:
    """Open the memory and do some work, by default without the background worker."""
    from erstwhile.api.memory import open as open_memory

    async def run() -> T:
        async with open_memory(database, space=space, **{"worker": False, **settings}) as memory:
            return await work(memory)

    return asyncio.run(run())


def command(
    work: Work, *, existing_space: bool = False, existing_channel: bool = False
) -> Callable[..., None]:
    """Make a command of a coroutine that takes the memory and the command's own options.

    It returns what `--json` prints, and what is shown otherwise. The command takes `--database`, `--space` and `--json` too.
    """
    own = [
        each.replace(annotation=eval(each.annotation, work.__globals__))
        for each in list(inspect.signature(work).parameters.values())[1:]
    ]
    names = [each.name for each in own]
    added = [
        each
        for each in inspect.signature(_common, eval_str=True).parameters.values()
        if each.name not in names
    ]

    @wraps(work)
    def run(database: str | None, space: str | None, json: bool, **given: Any) -> None:
        given |= {"space": space} if "space" in names else {}

        if existing_space:
            check_database(database)

        async def checked(memory: Memory) -> Result:
            if existing_space:
                await check_space(memory, space)
            by_default = existing_space and space is None
            try:
                if existing_channel:
                    await check_channel(memory, given.get("channel"))
                found = await work(memory, **given)
            except NotFound:
                if by_default:
                    await check_default_space(memory)
                raise
            if by_default and not found[0]:
                await check_default_space(memory)
            return found

        output.print_result(*with_memory(checked, database, space), json=json)

    run.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    del run.__wrapped__
    return run


def _common(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Return the options of every command."""


# A command for what there is: an unknown database, space or channel is an error.
reads_space = partial(command, existing_space=True)
reads = partial(command, existing_space=True, existing_channel=True)


def check_database(database: str | None) -> None:
    """Raise for an SQLite file that is not there: opening it would make an empty one."""
    from erstwhile import wiring
    from erstwhile.base.settings import load

    file = wiring.database_file(load(database=database))
    if file is not None and not file.exists() and file.parent.is_dir():
        advice = "Name yours with --database; `add`, `import` and `serve` make a new one."
        raise NotFound(f"There is no database {file}. {advice}")


async def check_space(memory: Memory, space: str | None) -> None:
    """Raise for an unknown space, with those there are."""
    if space is not None and space not in (known := await every(memory.spaces.list)):
        raise NotFound(f"Unknown space {space!r}. {listed('Spaces', space, known)}")


async def check_default_space(memory: Memory) -> None:
    """Raise if everything is in other spaces than the default."""
    known, default = await every(memory.spaces.list), memory.settings.space
    if known and default not in known:
        there = listed("Spaces", default, known)
        raise NotFound(f"Unknown space {default!r}. {there} Choose one with --space.")


async def check_channel(memory: Memory, channel: str | None) -> None:
    """Raise for an unknown channel, with those there are."""
    if channel is None:
        return
    shown = await memory.channels.get(memory.channel(channel))
    if shown.size or shown.privacy:
        return
    known = [each.channel for each in await every(memory.channels.list)]
    if channel not in known:
        raise NotFound(f"Unknown channel {channel!r}. {listed('Channels', channel, known)}")


def listed(what: str, given: str, known: Iterable[str]) -> str:
    """Name those there are, the most similar first."""
    from difflib import SequenceMatcher

    names = sorted(
        known,
        key=lambda name: (-SequenceMatcher(None, given.casefold(), name.casefold()).ratio(), name),
    )
    if not names:
        return "There are none yet."
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{what}: {', '.join(names[:_NAMED])}{more}."


async def find_id(memory: Memory, given: str) -> str:
    """Return the whole id of a message, memory or request; an unknown one as it is."""
    return given if ids.is_whole(given) else only_id(given, await memory.ids.resolve(given))


def only_id(given: str, found: Iterable[str]) -> str:
    known = [id for id in found if id.startswith(given)]
    if len(known) > 1 and given not in known:
        listed = "".join(f"\n  {id}" for id in known[:_NAMED])
        raise InvalidInput(f"Several ids begin with {given}. Give more characters:{listed}")
    if not known:
        return given
    if len(given.partition("_")[2]) < _FEWEST:
        raise InvalidInput(f"{given} is too short for an id. Did you mean {known[0]}?")
    return known[0]


def editor(by: str | None) -> str:
    """Return who makes a change."""
    import getpass

    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        raise typer.BadParameter("say who does it", param_hint="--by") from None


_PEOPLE = 1000  # among whom near names are looked for


def ask(question: str, *, yes: bool) -> None:
    """Ask, unless --yes was given. Without an answer nothing is done, and the exit code is 1."""
    if not yes:
        typer.confirm(question, abort=True, err=True)


def ask_to_replace(file: Path, *, yes: bool) -> None:
    """Ask before an existing file is written over."""
    if file.is_file():
        size, at = file.stat().st_size, output.local_time(file.stat().st_mtime)
        ask(f"{file} exists ({size:,} bytes, written {at}). Replace it?", yes=yes)


async def check_person(memory: Memory, person: str | None) -> None:
    """Raise for an unknown person, with those whose id or name is most like it."""
    if person is None or await memory.people.list(people=[person]):
        return
    profile = await memory.people.profile(person, ended=True)
    if any(profile.sections.values()):  # written by hand, before they spoke
        return
    named = set()
    for each in await memory.people.list(limit=_PEOPLE):
        named.add(each.person if each.name == each.person else f"{each.person} ({each.name})")
    raise NotFound(f"Unknown person {person!r}. {listed('People', person, named)}")


async def contents(memory: Memory, *, person: str | None = None, channel: str | None = None) -> str:
    """Count what there is of a person, a channel or the space: "12 messages in 2 channels". Raise
    for unknown ones; those who were erased before may be erased again."""
    if (person or channel) and await memory.archive.receipts(
        person=person, channel=channel, limit=1
    ):
        return "erased before; what has come since"
    if person is not None:
        await check_person(memory, person)
        said = sum(each.messages for each in await memory.people.list(people=[person]))
        texts = [each.text for each in await memory.people.remembered(person)]
        remembered = sum(len(text.splitlines()) for text in texts)
        return counted(said, "message") + _and(remembered, "remembered fact")
    if channel is not None:
        await check_channel(memory, channel)
        shown = await memory.channels.get(memory.channel(channel))
        made = shown.made
        memories = made.chunks + made.metas + made.facts + made.notes if made is not None else 0
        return counted(shown.size, "message") + _and(memories, "memory")
    counts = await memory.spaces.counts(days=1)
    return (
        f"{counted(counts.messages, 'message')} in {counted(counts.channels, 'channel')}, "
        f"{counted(counts.people, 'person')}{_and(sum(counts.memories.values()), 'memory')}"
    )


async def origin_contents(memory: Memory, origin: str) -> str:
    """Count the messages of an origin. Raise for an unknown one."""
    known = {each.source: each for each in await every(memory.archive.origins)}
    if origin not in known:
        raise NotFound(f"Unknown origin {origin!r}. {listed('Origins', origin, known)}")
    found = known[origin]
    return f"{counted(found.messages, 'message')} in {counted(found.channels, 'channel')}"


def _and(count: int, what: str) -> str:
    return f", {counted(count, what)}" if count else ""
