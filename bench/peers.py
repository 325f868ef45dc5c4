"""erstwhile beside other memories, in one run: `make bench-peers`, or `python -m bench.peers [--parts …] [--systems …]`.

recall    evidence found among LoCoMo's raw turns (`--locomo FILE`; without it the part is left out)
latency   inserts and searches, by size
cost      calls and tokens of remembering with a model
faults    the process killed while it adds; the model failing for a while

Each system works in an environment of its own (bench/peers.toml), all with the same scripted model and the same vectors.
What can't be installed or run is listed with its error. Results are kept in `bench/peers.json`: a part that is run
again replaces its own only, and docs/beside-the-field.md is written from all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import peers_page
from bench.peers_environments import Failed, Peer, last_words, peers
from bench.peers_model import FAULTS
from bench.search import cuts, scratch

RESULTS = Path(__file__).with_name("peers.json")
Result = dict[str, Any]


def recall(peer: Peer, folder: Path, given: argparse.Namespace) -> Result:
    words = ["--locomo", str(given.locomo.resolve())]
    if given.conversations:
        words += ["--conversations", str(given.conversations)]
    return _part(peer, "recall", folder, *words, seconds=given.seconds)


def cost(peer: Peer, folder: Path, given: argparse.Namespace) -> Result:
    return _part(peer, "cost", folder, "--exchanges", str(given.exchanges), seconds=given.seconds)


def faults(peer: Peer, folder: Path, given: argparse.Namespace) -> Result:
    found: Result = {"killed": {}, "model": {}}
    for way in ("raw", "model") if peer.model else ("raw",):
        found["killed"][way] = _or_error(lambda way=way: killed(peer, folder / way, way, given))
    for fault in ("", *FAULTS) if peer.model else ():
        words = ["--fault", fault]
        found["model"][fault or "none"] = _or_error(
            lambda words=words, fault=fault: _part(
                peer, "fault", folder / (fault or "none"), *words, seconds=given.seconds
            )
        )
    return found


def _part(peer: Peer, part: str, folder: Path, *words: str, seconds: float) -> Result:
    folder.mkdir(parents=True)
    return peer.run("bench.peers_parts", peer.name, part, str(folder), *words, seconds=seconds)


def killed(peer: Peer, folder: Path, way: str, given: argparse.Namespace) -> Result:
    """Kill the process in the middle of adds, several times, and look for what it had acknowledged."""
    folder.mkdir(parents=True)
    chance, acknowledged = random.Random(peer.name), 0
    for kills in range(given.kills + 1):
        words = ["--model"] if way == "model" else []
        words += ["--go-on"] if kills < given.kills else []
        words += ["--acknowledged", str(acknowledged)]
        more = chance.randint(3, 20) if kills < given.kills else 0
        for tries in range(3):
            try:
                found, acknowledged = _kill(peer, folder, words, acknowledged + more, given.seconds)
                break
            except Failed as error:
                if tries == 2:
                    return {"kills": kills, "acknowledged": acknowledged, "found": 0, "error": str(error)}
    return {"kills": given.kills, "acknowledged": acknowledged, "found": found}


def _kill(peer: Peer, folder: Path, words: Sequence[str], until: int, seconds: float) -> tuple[int, int]:
    """Add until so many are acknowledged. Returns how many of the earlier ones were found, and all that
    are acknowledged now."""
    acknowledged, found = int(words[-1]), None
    command = ("-m", "bench.peers_parts", peer.name, "kill", str(folder), *words)
    with tempfile.TemporaryFile("w+") as errors, peer.started(*command, errors=errors) as process:
        watchdog = threading.Timer(seconds, process.kill)
        watchdog.start()
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                found = json.loads(line)["found"]
            elif line.strip().isdigit():
                acknowledged = int(line) + 1
                if acknowledged == until:
                    time.sleep(random.random() / 50)  # into the middle of the next
                    process.kill()
        code = process.wait()
        late = not watchdog.is_alive()
        watchdog.cancel()
        if found is None or acknowledged < until:
            errors.seek(0)
            raise Failed(f"gave up after {seconds:g} s" if late else last_words(errors.read(), code))
    return found, acknowledged


def latency(every: Sequence[Peer], folder: Path, given: argparse.Namespace) -> Iterator[dict[str, Result]]:
    """Fill each system once for each size. Then ask all in turn, several rounds of the same questions,
    each round in a new process: what the machine does besides hits all alike."""
    results: dict[str, Result] = {peer.name: {"sizes": {}} for peer in every}
    for size in given.sizes:
        filled: dict[str, Result] = {}
        for peer in every:
            where = folder / f"{peer.name}-{size}"
            where.mkdir()
            place = str(where / "memory.db" if peer.name == "erstwhile" else where)
            words = ("bench.systems", peer.name, "fill", place, "--size", str(size))
            row = _or_error(lambda peer=peer, words=words: peer.run(*words, seconds=given.seconds))
            print(f"latency: {peer.label}: {size:,} {row.get('error', 'filled')}", flush=True)
            results[peer.name]["sizes"][str(size)] = row
            if "error" not in row:
                filled[place] = row | {"ms": [], "bare_ms": []}
                results[peer.name]["sizes"][str(size)] = filled[place]
        for _ in range(given.rounds):
            for place, row in filled.items():
                peer = next(each for each in every if f"/{each.name}-{size}" in place)
                asked = peer.run("bench.systems", peer.name, "ask", place, "--questions", str(given.questions))
                row["ms"].append(cuts(asked["ms"])[0])
                row["bare_ms"].append(cuts(asked["bare_ms"])[0])
        yield results


def _or_error(work: Callable[[], Result]) -> Result:
    try:
        return work()
    except Failed as error:
        return {"error": str(error)}


PARTS: dict[str, Callable[[Peer, Path, argparse.Namespace], Result]] = {
    "recall": recall,
    "cost": cost,
    "faults": faults,
}


def measure(part: str, every: Sequence[Peer], given: argparse.Namespace) -> Iterator[dict[str, Result]]:
    """Results by system, as soon as they are there; of latency after each size."""
    with scratch() as folder:
        if part == "latency":
            yield from latency(every, folder, given)
            return
        for peer in every:
            if part == "cost" and not peer.model:
                continue
            started = time.perf_counter()
            yield {peer.name: _or_error(lambda peer=peer: PARTS[part](peer, folder / peer.name, given))}
            print(f"{part}: {peer.label}: {time.perf_counter() - started:.0f} s", flush=True)


def keep(part: str, systems: dict[str, Result], about: Result | None = None) -> None:
    """Put the systems' results among those of earlier runs, and write the page from all."""
    results: Result = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    before = results.get(part, {}).get("systems", {})
    results[part] = {**(about or {}), "systems": before | systems}
    RESULTS.write_text(json.dumps(results, indent=1))
    peers_page.write(results)


def main() -> None:
    given = _arguments()
    ready, environments = [], {}
    for name, peer in peers().items():
        if name not in given.systems:
            continue
        environments[name] = _or_error(lambda peer=peer: {"versions": peer.install()})
        if "error" not in environments[name]:
            ready.append(peer)
        print(f"{peer.label}: {environments[name].get('error', 'installed')}", flush=True)
    keep("environments", environments)
    for part in given.parts:
        for found in measure(part, ready, given):
            keep(part, found, circumstances(part, given))


def circumstances(part: str, given: argparse.Namespace) -> Result:
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load": os.getloadavg()[0],
        "options": {name: getattr(given, name) for name in OPTIONS[part]},
    }


OPTIONS = {
    "recall": ("conversations",),
    "latency": ("sizes", "rounds", "questions"),
    "cost": ("exchanges",),
    "faults": ("kills",),
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = lambda text: text.split(",")  # noqa: E731
    numbers = lambda text: [int(each) for each in text.split(",")]  # noqa: E731
    parser.add_argument("--parts", type=names, default=list(OPTIONS), help="none: only install, and write the page")
    parser.add_argument("--systems", type=names, default=list(peers()))
    parser.add_argument("--locomo", type=Path, help="the data set's own file, for recall")
    parser.add_argument("--conversations", type=int, help="only so many of it")
    parser.add_argument("--sizes", type=numbers, default=[10_000, 50_000])
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--exchanges", type=int, default=100)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=900, help="a system that needs longer for a step gives up")
    given = parser.parse_args()
    if given.parts == ["none"]:
        given.parts = []
    if unknown := set(given.parts) - OPTIONS.keys() | set(given.systems) - peers().keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if "latency" in given.parts and "erstwhile" not in given.systems:
        given.systems.append("erstwhile")  # ratios are to ours, in the same run
    if "recall" in given.parts and given.locomo is None:
        print("recall is left out: name the data set with --locomo FILE")
        given.parts.remove("recall")
    return given


if __name__ == "__main__":
    main()
