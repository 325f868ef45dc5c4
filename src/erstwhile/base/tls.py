"""The certificates that every HTTPS client of this process trusts."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def trusted() -> ssl.SSLContext:
    """Return one context for all clients: each would read the certificates again, which takes 50
    ms of CPU."""
    import httpx2

    return httpx2.create_ssl_context()
