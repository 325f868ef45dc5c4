"""Write the files of the package from a trained table: `python pack.py vocab.json trained/ package/files`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np


def main() -> None:
    vocabulary, trained, out = map(Path, sys.argv[1:4])
    held = json.loads(vocabulary.read_text("utf-8"))
    rows = np.concatenate([np.load(each) for each in sorted(trained.glob("rows_*.npy"))])
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "rows.npy", rows)
    np.save(out / "scales.npy", np.load(trained / "scales.npy"))
    (out / "words.txt").write_text("\n".join(held["words"]), "utf-8")
    simplified = {chr(int(one)): chr(two) for one, two in held["simp"].items()}
    (out / "simplified.json").write_text(json.dumps(simplified, ensure_ascii=False, separators=(",", ":")), "utf-8")


if __name__ == "__main__":
    main()
