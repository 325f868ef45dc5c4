"""The report as one HTML file: no script, nothing fetched, every text a person typed escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files

from erstwhile.requests.figures import hit_rates, shown
from erstwhile.requests.model import Recommendation, Report, Request, TokenUsage
from erstwhile.requests.plots import Plot, svg
from erstwhile.requests.trends import Trend, plots, trends

# Should a text ever slip through the escaping, a browser still runs and fetches nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CODE = re.compile(r"`([^`]+)`|\b(ERSTWHILE_[A-Z_]+(?:=\w+)?)")
_QUESTION = 200  # characters shown of one


def page(report: Report, advice: Sequence[Recommendation], requests: Sequence[Request]) -> str:
    title = f"Memory report: {report.space}"
    cards = "".join(map(_recommendation, advice))
    cards = f'<h2>Recommendations</h2>\n<div class="advice">{cards}</div>'
    parts = [_head(report), _tiles(report), cards, _plots(report, advice)]
    parts += [_hit_rates(report), _spent(report), _requests(requests)]
    body = "\n".join(filter(None, parts))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<style>
{_style()}</style>
</head>
<body>
<main>
{body}
<footer>Made by erstwhile report on {report.until:%Y-%m-%d %H:%M} UTC. Point at a day in a plot for its figures.</footer>
</main>
</body>
</html>
"""


@cache
def _style() -> str:
    return files(__package__).joinpath("page.css").read_text(encoding="utf-8")


def _head(report: Report) -> str:
    ops = ", ".join(f"{count} {op}" for op, count in report.by_op.items() if count)
    period = f"{report.since:%Y-%m-%d} to {report.until:%Y-%m-%d}, {report.days} days (UTC)"
    said = _quiet(f"{period}{': ' + ops if ops else ''}")
    return f"<h1>Memory report for {escape(report.space)}</h1>\n{said}"


def _tiles(report: Report) -> str:
    tokens = f"{report.tokens_per_request:,.0f}" if report.tokens_per_request is not None else "–"
    tiles = [
        (f"{report.requests:,}", "requests"),
        (shown(report.hit_rates["words"], "share"), "found something by words"),
        (shown(report.empty, "share"), "found nothing"),
        (shown(report.whole.p95, "ms"), "p95 of a whole request"),
        (tokens, "tokens per context"),
        (f"{report.feedback:,}", "with feedback that something was missed"),
    ]
    if (rate := report.structure_rate) is not None:
        tiles.append((shown(rate, "share"), "of summaries have a structure"))
    bodies = (f"<b>{value}</b><span>{name}</span>" for value, name in tiles)
    cards = "".join(f'<div class="card tile">{each}</div>' for each in bodies)
    return f'<div class="tiles">{cards}</div>'


def _recommendation(each: Recommendation) -> str:
    value, threshold = shown(each.value, each.unit), shown(each.threshold, each.unit)
    fine, unknown = '<span class="fine">✓ fine</span>', '<span class="quiet">not judged</span>'
    states = {None: unknown, False: fine}
    state = states.get(each.passed, '<span class="passed">✗ over</span>')
    said = [f"<b>{escape(each.meaning)}</b>" if each.passed else "", _code(each.action)]
    action = f'<p class="action quiet">{" ".join(filter(None, said))}</p>' if each.action else ""
    name = f'<div><h3>{escape(each.metric)}</h3><span class="value">{value}, threshold {threshold}</span></div>'
    return f'<div class="card">{name}{_bullet(each)}<div class="state">{state}</div>{action}</div>'


def _bullet(each: Recommendation) -> str:
    """Return the value as a bar, the threshold as a mark across it."""
    top = max(each.threshold * 2, (each.value or 0) * 1.1)
    top = min(top, 1.0) if each.unit == "share" else top
    filled, mark = (each.value or 0) / top, each.threshold / top
    parts = f'<i style="width:{filled:.1%}"></i><u style="left:{mark:.1%}"></u>'
    return f'<div class="bar">{parts}</div>'


def _plots(report: Report, advice: Sequence[Recommendation]) -> str:
    cards = [_card(each.plot, _threshold(each)) for each in trends(report, advice)]
    cards += [_card(plot, _legend(plot)) for plot in plots(report) if plot.measured]
    return f'<h2>Day by day</h2>\n<div class="plots">{"".join(cards)}</div>'


def _card(plot: Plot, value: str) -> str:
    head = f'<h3>{escape(plot.title)}</h3><p class="value">{value}</p>'
    return f'<div class="card">{head}{svg(plot)}</div>'


def _threshold(trend: Trend) -> str:
    value = f'<span class="passed">{trend.value} ✗</span>' if trend.advice.passed else trend.value
    return f'{value}&nbsp; <i class="key limit"></i>threshold {trend.threshold}'


def _legend(plot: Plot) -> str:
    keys = ((f"background:var(--{each.colour})", escape(each.name)) for each in plot.series)
    return " &nbsp; ".join(f'<i class="key" style="{style}"></i>{name}' for style, name in keys)


def _hit_rates(report: Report) -> str:
    rows = ""
    for name, rate in hit_rates(report):
        cells = f'<td>{escape(name)}</td><td class="wide">{_bar(rate or 0)}</td>'
        rows += f'<tr>{cells}<td class="number">{shown(rate, "share")}</td></tr>'
    return f'<h2>Found something by</h2>\n<div class="card"><table>{rows}</table></div>'


def _spent(report: Report) -> str:
    if not report.spent:
        return ""
    most = max(each.tokens for each in report.spent) or 1
    rows = "".join(_spent_row(each, most) for each in report.spent)
    names = ("calls", "failed", "in", "out", "cached", "left out")
    numbers = "".join(f'<th class="number">{name}</th>' for name in names)
    table = f"<table><tr><th>task</th><th>model</th><th></th>{numbers}</tr>{rows}</table>"
    share = shown(report.memory_share, "share")
    told = _quiet(f"Making memories took {share} of all model tokens.")
    return f'<h2>Model tokens</h2>\n<div class="card"><div class="scroll">{table}</div>{told}</div>'


def _spent_row(each: TokenUsage, most: int) -> str:
    tokens = each.input_tokens, each.output_tokens, each.cached_tokens
    numbers = (each.calls, each.failed, *tokens, each.unborne)
    cells = "".join(f'<td class="number">{number:,}</td>' for number in numbers)
    bar = f'<td class="wide">{_bar(each.tokens / most)}</td>'
    return f"<tr><td>{escape(each.task)}</td><td>{escape(each.model)}</td>{bar}{cells}</tr>"


def _requests(requests: Sequence[Request]) -> str:
    if not requests:
        return ""
    heads = '<tr><th>at (UTC)</th><th>question</th><th>found by</th><th class="number">items</th><th>request</th></tr>'
    table = f"<table>{heads}{''.join(map(_request, requests))}</table>"
    told = _quiet(f"{_code('`erstwhile requests explain REQUEST`')} explains one.")
    card = f'<div class="card"><div class="scroll">{table}</div>{told}</div>'
    return f"<h2>Latest requests</h2>\n{card}"


def _request(each: Request) -> str:
    question = each.query if len(each.query) <= _QUESTION else each.query[: _QUESTION - 1] + "…"
    said = escape(question) or f'<span class="quiet">{each.op} without a question</span>'
    if each.feedback is not None:
        said += f'<br><span class="passed">✗ missed</span> {escape(each.feedback[:_QUESTION])}'
    path = escape(each.path)
    if each.error_stage:
        path = f'<span class="passed">failed: {escape(each.error_stage)}</span>'
    return (
        f'<tr><td class="number">{each.at:%d %b %H:%M}</td><td class="words">{said}</td><td>{path}</td>'
        f'<td class="number">{each.items}</td><td><code>{escape(each.id)}</code></td></tr>'
    )


def _bar(share: float) -> str:
    return f'<div class="bar"><i style="width:{share:.1%}"></i></div>'


def _quiet(told: str) -> str:
    return f'<p class="quiet">{told}</p>'


def _code(text: str) -> str:
    """Escape a text; what is in backquotes and the names of settings become code."""
    return _CODE.sub(r"<code>\1\2</code>", escape(text))
