"""The commands, by what they are about."""

from __future__ import annotations

import typer

from erstwhile.cli import (
    about,
    ask,
    backup,
    bench,
    care,
    choose,
    discord,
    erasing,
    gate,
    hand,
    importing,
    keys,
    mcp,
    notes,
    people,
    profile,
    report,
    say,
    serve,
    show,
    slack,
    structured,
    talk,
    why,
    work,
)

app = typer.Typer(
    name="erstwhile",
    help="Long-term memory for conversations.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("demo")(show.demo)
app.command("chat")(talk.chat)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
app.command("discord")(discord.discord)
app.command("slack")(slack.slack)
app.add_typer(keys.keys, name="keys")
app.command("add")(say.add)
app.command("import")(importing.import_file)
app.command("context")(ask.context)
app.command("search")(ask.search)
app.command("browse")(ask.browse)
app.command("sources")(ask.sources)
app.command("about")(about.about)
app.command("why")(why.why)
app.command("report")(report.report)
app.command("advise")(report.advise)
app.add_typer(hand.facts, name="facts")
app.command("structured")(structured.structured)
app.command("changes")(structured.changes)
app.command("remember")(people.remember)
app.command("forget")(people.forget)
app.add_typer(profile.profile, name="profile")
app.command("notes")(notes.notes)
app.command("nightly")(notes.nightly)
app.command("history")(hand.history)
app.command("restore")(hand.restore)
app.command("flagged")(hand.flagged)
app.command("review")(hand.review)
app.command("regenerate")(hand.regenerate)
app.command("realign")(hand.realign)
app.command("backfill")(hand.backfill)
app.command("settle")(work.settle)
app.add_typer(work.jobs, name="jobs")
app.command("worker")(work.worker)
app.command("rebuild")(work.rebuild)
app.add_typer(choose.prompts, name="prompts")
app.add_typer(choose.space_settings, name="space")
app.add_typer(gate.people, name="people")
app.add_typer(gate.channel, name="channel")
app.command("expire")(gate.expire)
app.command("erase")(erasing.erase)
app.command("receipts")(erasing.receipts)
app.command("export")(erasing.export)
app.command("backup")(backup.backup)
app.command("origins")(erasing.origins)
app.add_typer(bench.bench, name="bench")
app.command("doctor")(care.doctor)
app.command("migrate")(care.migrate)
app.add_typer(care.config, name="config")
