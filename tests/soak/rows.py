"""The table of faults and attacks."""

from __future__ import annotations

from soak.attacks import ATTACKS
from soak.faults import FAULTS
from soak.row import Row

ROWS: tuple[Row, ...] = (*FAULTS, *ATTACKS)
