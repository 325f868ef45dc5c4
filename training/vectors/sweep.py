"""Try several settings one after another, loading once: `python sweep.py work/ out/ settings.json [device]`.

The table with the best mean over the languages stays.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import torch

from runs import load
from train import Pairs, Table, train

DEFAULT = {"steps": 6000, "batch": 1024, "rate": 2e-3, "temperature": 0.05, "mixed": 0.3, "dropped": 0.1,
           "hold": 0.0, "power": 0.6, "teaching": [], "verbose": False}  # fmt: skip


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    if len(sys.argv) > 4:
        torch.set_default_device(sys.argv[4])
    began = time.time()
    loaded = load(folder, os.cpu_count() or 1)
    print("loaded", round(time.time() - began, 1), flush=True)
    table = Table(loaded.features, loaded.frequency)
    best = 0.0
    results = {"start": loaded.report("start", table)}
    for tried in json.loads(Path(sys.argv[3]).read_text()):
        began = time.time()
        torch.manual_seed(1)
        table = Table(loaded.features, loaded.frequency)
        given = SimpleNamespace(**(DEFAULT | tried))
        train(table, loaded.texts, Pairs(loaded.keys, loaded.pairs, given.power), loaded.teachers, given)
        title = f"{json.dumps(tried)} {time.time() - began:.0f}s"
        results[title] = loaded.report(title, table)
        if (mean := loaded.mean(results[title])) > best:
            best = mean
            loaded.save(table, out)
        print("mean", round(mean, 2), flush=True)
    (out / "results.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
