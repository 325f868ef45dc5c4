"""docs/beside-the-field.md and its plots, written from the results of `bench.peers`."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from bench.peers_environments import ROOT, Peer, peers

PAGE = ROOT / "docs" / "beside-the-field.md"
PLOTS = ROOT / "docs" / "plots"
OURS = "erstwhile"
_DEPTHS = ("R@5", "R@10", "R@20")

_HEAD = """# Beside the field

<!-- Written by `make bench-peers` (bench/peers_page.py). Don't edit: run the command again. -->

This page puts erstwhile beside other memories for conversations, measured by one command on one machine, none by a vendor.
`make bench-peers ARGS="--locomo locomo10.json"` measures all of it (the data set is not part of the repository).
`.venv/bin/python -m bench.peers --parts cost` renews one part and this page. The parts are `recall`, `latency`, `cost` and
`faults`; each section has the date of its run.

Each system is installed by pip into an environment of its own and may reach nothing but this machine. All get the
same messages and questions, the same vectors (our table of 256 dimensions), and, where a model is needed, the same
scripted one: it writes one fact for each message, so its answers say nothing about quality. "Times ours" is the
system's figure divided by erstwhile's in the same run: the median, and in brackets the smallest and the largest.

"""

_TEXTS = {
    "recall": """The share of a question's evidence among the first k hits, over raw turns of LoCoMo: no model is
called, and only messages are searched. The ratio is of R@10, by conversation. Speakers are part of the text for systems
that have no field for them. All systems use our small vectors, so this compares the ranking; other vectors would give
other figures. Our ranking was chosen with this data set in view. Not measured: what a system finds among facts that a
real model wrote.""",
    "latency": """Generated talk, 500 messages at a time, then the same questions to all in turn, round by round, each
round in a new process. Inserts are by batch of 500, with the time in which erstwhile makes its vectors afterwards.
"Without embedding" leaves out making the question's vector. It compares speed, not what is found: mem0 and langgraph
search by vectors alone here, the others also by words.""",
    "cost": """A conversation of a user and an assistant; each exchange of two messages is one add. Tokens are
everything sent to the model to be read, with schemas, by erstwhile's counter. What the model writes is not counted,
because a scripted model writes it. graphiti's calls grow with the facts that the model finds, here one a message.
Every run makes the same calls, so there is no spread.""",
    "killed": """The process is killed (`kill -9`) while it adds messages. It is started again, searched, and killed
again. A message is acknowledged when the call that adds it has returned. It is found when a search for its own words
returns it, or a memory that quotes it, among the first ten.""",
    "model": """{messages} messages are added one by one. The model fails while {broken} of them are added, then it works
again. The test waits for the background work and searches for every message. *Refused*: the call raised an error, so
the caller knows and must send the message again. *Lost*: the call returned, but nothing of the message is found.
*Calls*: to the model; "usually" is a run without failures.""",
}


def write(results: dict[str, Any]) -> None:
    every = peers()
    PLOTS.mkdir(exist_ok=True)
    pieces = [_HEAD]
    for name, section in _SECTIONS.items():
        part = results.get(name, {"systems": {}})
        if "error" not in part["systems"].get(OURS, {"error": "not measured"}):
            systems = {each: part["systems"][each] for each in every if each in part["systems"]}
            pieces += [section(systems, every, part["options"]), _when(part)]
        else:
            pieces.append(_kept(_HEADINGS[name]))
    pieces.append(_not_run(results, every))
    pieces.append(_systems(results, every))
    text = "".join(pieces)
    timed = "" if f"{_HEADINGS['latency']}\n" in text else "how long adding and searching take, "
    PAGE.write_text(
        f"{text}\nNot measured: {timed}the services of mem0 and Zep, Letta, Hindsight, and how well\n{_LAST}"
    )


def _kept(heading: str) -> str:
    """Return a section of the page as it is: a part whose results are on another machine."""
    text = PAGE.read_text() if PAGE.exists() else ""
    found = re.search(rf"^{heading}\n.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return f"{found[0].rstrip()}\n\n" if found else ""


# Sections


def _recall(systems: dict[str, Any], every: dict[str, Peer], _options: Any) -> str:
    done = {name: each["conversations"] for name, each in systems.items() if "error" not in each}
    means = {name: _means(rows) for name, rows in done.items()}
    ours = [row["R@10"] for row in done[OURS]]
    lines = []
    for name, rows in done.items():
        ratios = [its["R@10"] / our for its, our in zip(rows, ours, strict=True)]
        cells = [f"{means[name][depth]:.1f}" for depth in _DEPTHS]
        lines.append([every[name].label, *cells, spread(ratios)])
    questions = sum(row["questions"] for row in done[OURS])
    turns = sum(row["turns"] for row in done[OURS])
    bars = [(every[name].label, [means[name][depth] for depth in _DEPTHS]) for name in done]
    _plot("recall", "Evidence found, %, among the first 5, 10 and 20 hits", bars)
    return (
        f"{_HEADINGS['recall']}\n\n{_TEXTS['recall']}\n\n![Recall by system](plots/peers-recall.svg)\n\n"
        f"{len(ours)} conversations, {turns:,} turns, {questions:,} questions:\n\n"
        + table(["system", *_DEPTHS, "R@10, times ours"], lines)
    )


def _means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    questions = sum(row["questions"] for row in rows)
    return {depth: 100 * sum(row[depth] for row in rows) / questions for depth in _DEPTHS}


def _latency(systems: dict[str, Any], every: dict[str, Peer], options: dict[str, Any]) -> str:
    lines, bars = [], []
    for size in (each for each in map(str, options["sizes"]) if each in systems[OURS]["sizes"]):
        ours = systems[OURS]["sizes"][size]
        for name, each in systems.items():
            row = each["sizes"].get(size)
            label = every[name].label
            if row is None or "error" in row:
                lines.append([label, f"{int(size):,}", row["error"] if row else "not run", *[""] * 5])
                continue
            rate = row["added"] / (row["add_seconds"] + row["settle_seconds"])
            faster = [our / its for its, our in zip(_batches(row), _batches(ours), strict=True)]
            slower = _ratios(row["ms"], ours["ms"])
            bare = _ratios(row["bare_ms"], ours["bare_ms"])
            cells = [f"{rate:,.0f}", spread(faster), f"{statistics.median(row['ms']):.1f}"]
            cells += [spread(slower), f"{statistics.median(row['bare_ms']):.1f}", spread(bare)]
            lines.append([label, f"{int(size):,}", *cells])
            bars.append((f"{label}, {int(size):,}", [statistics.median(slower)]))
    _plot("latency", "Time of a search, times ours (logarithmic)", bars, log=True)
    head = ["system", "messages", "inserted/s", "times ours", "search p50, ms", "times ours"]
    return (
        f"{_HEADINGS['latency']}\n\n{_TEXTS['latency']}\n\n![Search by system](plots/peers-latency.svg)\n\n"
        f"{options['rounds']} rounds of {options['questions']} questions:\n\n"
        + table([*head, "without embedding, ms", "times ours"], lines)
    )


def _batches(row: dict[str, Any]) -> list[float]:
    after = row["settle_seconds"] / len(row["batch_seconds"])
    return [each + after for each in row["batch_seconds"]]


def _ratios(its: Sequence[float], ours: Sequence[float]) -> list[float]:
    return [one / other for one, other in zip(its, ours, strict=True)]


def _cost(systems: dict[str, Any], every: dict[str, Peer], _options: Any) -> str:
    done = {name: each for name, each in systems.items() if "error" not in each}
    ours = done[OURS]
    lines, bars = [], []
    for name, each in done.items():
        calls, sent = (each[key] / each["messages"] for key in ("calls", "prompt_tokens"))
        times = f"{each['calls'] / ours['calls']:.2g}", f"{each['prompt_tokens'] / ours['prompt_tokens']:.2g}"
        lines.append([every[name].label, f"{calls:.2f}", times[0], f"{sent:,.0f}", times[1]])
        bars.append((every[name].label, [sent]))
    _plot("cost", "Prompt tokens a message", bars)
    itself = ours["message_tokens"] / ours["messages"]
    head = ["system", "calls a message", "times ours", "prompt tokens a message", "times ours"]
    return (
        f"{_HEADINGS['cost']}\n\n{_TEXTS['cost']}\n\n![Prompt tokens](plots/peers-cost.svg)\n\n"
        f"{ours['messages']} messages of {itself:.0f} tokens on average:\n\n" + table(head, lines)
    )


def _faults(systems: dict[str, Any], every: dict[str, Peer], _options: Any) -> str:
    kills, model = [], []
    for name, each in systems.items():
        for way, row in each.get("killed", {}).items():
            how = "raw" if way == "raw" else "with a model"
            kills.append([every[name].label, how, *_killed(row)])
        usual = each.get("model", {}).get("none", {}).get("calls")
        for fault, row in each.get("model", {}).items():
            if fault != "none":
                model.append([fault, every[name].label, *_failed(row, usual)])
    model.sort(key=lambda line: line[0])
    some = next(iter(systems[OURS]["model"].values()))
    text = _TEXTS["model"].format(**some)
    head = ["system", "adds", "kills", "acknowledged", "not found afterwards"]
    model_head = ["the model", "system", "refused", "lost", "found", "as a memory", "calls"]
    return (
        f"{_HEADINGS['faults']}\n\n### Killed while it adds\n\n{_TEXTS['killed']}\n\n{table(head, kills)}\n"
        f"### A model that fails\n\n{text}\n\n{table(model_head, model)}"
    )


def _killed(row: dict[str, Any]) -> list[str]:
    if "acknowledged" not in row:
        return ["", "", row["error"]]
    lost = row["acknowledged"] - row["found"]
    why = f": started again three times, it failed: `{row['error']}`" if "error" in row else ""
    return [str(row["kills"]), str(row["acknowledged"]), f"{lost}{why}"]


def _failed(row: dict[str, Any], usual: int | None) -> list[str]:
    if "error" in row:
        return [row["error"], *[""] * 4]
    why = f" ({', '.join(row['errors'])})" if row["errors"] else ""
    calls = f"{row['calls']}, usually {usual}" if usual is not None else str(row["calls"])
    found = f"{row['found']} of {row['messages']}"
    return [f"{row['refused']}{why}", str(row["silently_lost"]), found, str(row["made"]), calls]


def _when(part: dict[str, Any]) -> str:
    load = f", load {part['load']:.1f} at the end" if "rounds" in part["options"] else ""
    return f"\n{part['date']}, {part['machine']}, Python {part['python']}{load}.\n\n"


def _not_run(results: dict[str, Any], every: dict[str, Peer]) -> str:
    lines = [
        [every[name].label, "installing or opening it" if part == "environments" else part, f"`{each['error']}`"]
        for part, found in results.items()
        for name, each in found["systems"].items()
        if "error" in each
    ]
    return "## What did not run\n\n" + table(["system", "at", "its error"], lines) + "\n" if lines else ""


def _systems(results: dict[str, Any], every: dict[str, Peer]) -> str:
    lines = []
    for name, peer in every.items():
        found = results["environments"]["systems"].get(name, {}).get("versions", {})
        versions = ", ".join(f"{package} {version}" for package, version in found.items())
        lines.append([peer.label, peer.about, peer.apart, versions])
    head = ["system", "how it is used", "what is not counted", "versions"]
    return "## The systems, and what is fair\n\n" + table(head, lines)


_SECTIONS: dict[str, Callable[[dict[str, Any], dict[str, Peer], Any], str]] = {
    "recall": _recall,
    "latency": _latency,
    "cost": _cost,
    "faults": _faults,
}
_HEADINGS = {"recall": "## Recall", "latency": "## Latency", "cost": "## Cost of remembering", "faults": "## Faults"}
_LAST = (
    "any system answers with a real model. [What others say about themselves](what-others-say.md) has the figures that they\n"
    "publish.\n"
)


# Tables and plots


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(cell.replace("|", "/") for cell in row) + " |\n" for row in rows)


def spread(ratios: Sequence[float]) -> str:
    """The median, with the smallest and the largest."""
    middle, least, most = (f"{each:.2g}" if each < 10 else f"{each:.0f}" for each in _cut(ratios))
    return f"{middle} ({least} to {most})" if least != most else middle


def _cut(ratios: Sequence[float]) -> tuple[float, float, float]:
    return statistics.median(ratios), min(ratios), max(ratios)


_COLOURS = ("#9cc9c4", "#3f9c92", "#14665e")


def _plot(name: str, title: str, bars: Sequence[tuple[str, Sequence[float]]], *, log: bool = False) -> None:
    """Horizontal bars, a group for each label, as plain SVG. A logarithmic bar begins at a tenth of the least."""
    every = [value for _, values in bars for value in values if value > 0]
    least, most = min(every) / 10 if log else 0.0, max(every)
    wide = 420.0

    def width(value: float) -> float:
        part = math.log(value / least) / math.log(most / least) if log else value / most
        return max(1.0, wide * part)

    drawn, top = [f'<text x="16" y="26" font-weight="bold">{escape(title)}</text>'], 44
    for label, values in bars:
        middle = top + 8 * len(values) + 4
        drawn.append(f'<text x="226" y="{middle}" text-anchor="end">{escape(label)}</text>')
        for place, value in enumerate(values):
            colour = _COLOURS[place if len(values) > 1 else 1]
            drawn.append(
                f'<rect x="236" y="{top}" width="{width(value):.1f}" height="13" fill="{colour}"/>'
                f'<text x="{242 + width(value):.1f}" y="{top + 11}">{_figure(value)}</text>'
            )
            top += 16
        top += 8
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 {top + 8}" width="740"'
    style = 'font-family="sans-serif" font-size="12" fill="#222"'
    back = f'<rect width="740" height="{top + 8}" rx="8" fill="#fff"/>'
    body = "\n".join([f"{head} {style}>", back, *drawn, "</svg>", ""])
    (PLOTS / f"peers-{name}.svg").write_text(body)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2g}"
