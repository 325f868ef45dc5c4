"""Wrong keys are answered slower and slower, by address; right ones never are, whatever else came from there."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict

_FREE = 10  # wrong keys of one address in a window
_WINDOW = 60.0  # seconds
_MOST = 4096  # addresses remembered; then the oldest is forgotten


class Throttle:
    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def wrong(self, address: str) -> int:
        """Counts one more; says for how many seconds to stay away, 0 for not at all."""
        now, place = time.monotonic(), _place(address)
        since, count = self._seen.pop(place, (now, 0))
        if now - since >= _WINDOW:
            since, count = now, 0
        self._seen[place] = (since, count + 1)
        if len(self._seen) > _MOST:
            self._seen.popitem(last=False)
        return 0 if count < _FREE else max(1, round(since + _WINDOW - now))


def _place(address: str) -> str:
    """Whoever has one address of IPv6 has all of its /64."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address
