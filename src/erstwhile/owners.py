"""The one list of the packages that own tables, besides the layers. Erasure loops over it."""

from __future__ import annotations

from erstwhile.configuration import erase as configuration
from erstwhile.events import erase as events
from erstwhile.index import erase as index
from erstwhile.jobs import erase as jobs
from erstwhile.keys import erase as keys
from erstwhile.log import erase as log
from erstwhile.memories import erase as memories
from erstwhile.receipts import erase as receipts
from erstwhile.requests import erase as requests
from erstwhile.tables.owner import Owner

# In the order in which they erase: the log comes last, because the others read it.
_PACKAGES = requests, index, memories, jobs, configuration, keys, receipts, events, log


def owners() -> list[Owner]:
    """Return the owner of the tables of each package."""
    return [package.OWNER for package in _PACKAGES]
