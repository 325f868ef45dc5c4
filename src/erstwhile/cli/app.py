"""The commands, by what they are about."""

from __future__ import annotations

import typer

from erstwhile.cli import ask, care, say, show, work

app = typer.Typer(
    name="erstwhile",
    help="Long-term memory for conversations.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("demo")(show.demo)
app.command("add")(say.add)
app.command("import")(say.import_file)
app.command("context")(ask.context)
app.command("search")(ask.search)
app.command("sources")(ask.sources)
app.command("settle")(work.settle)
app.add_typer(work.jobs, name="jobs")
app.command("worker")(work.worker)
app.command("rebuild")(work.rebuild)
app.command("doctor")(care.doctor)
app.command("migrate")(care.migrate)
app.add_typer(care.config, name="config")
