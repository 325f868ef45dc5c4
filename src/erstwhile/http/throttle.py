"""Limit wrong keys per client address. Valid keys are never limited."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict

_FREE = 10  # wrong keys per address and window
_WINDOW = 60.0  # seconds
_MOST = 4096  # cached addresses


class Throttle:
    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def wrong(self, address: str) -> int:
        """Count a wrong key and return for how many seconds to refuse the address, or 0."""
        now, place = time.monotonic(), _place(address)
        since, count = self._seen.pop(place, (now, 0))
        if now - since >= _WINDOW:
            since, count = now, 0
        self._seen[place] = (since, count + 1)
        if len(self._seen) > _MOST:
            self._seen.popitem(last=False)
        return 0 if count < _FREE else max(1, round(since + _WINDOW - now))


def _place(address: str) -> str:
    """Return the /64 network of an IPv6 address, because its owner has all of it."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address
