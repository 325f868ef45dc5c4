"""Every crash point there is, read from the source."""

from __future__ import annotations

import re
from pathlib import Path

import erstwhile

_SOURCE = Path(erstwhile.__file__).parent
USED = [
    point
    for file in sorted(_SOURCE.rglob("*.py"))
    for point in re.findall(r'crash\.point\("([\w.]+)"\)', file.read_text())
]
POINTS = tuple(sorted(set(USED)))
