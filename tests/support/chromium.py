"""The browser that tests and screenshots drive: the system's Chromium, or the one that ERSTWHILE_TEST_CHROMIUM names."""

from __future__ import annotations

import os
import shutil

# The shell first: it draws for nobody, which takes less time.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# It asks nothing of the network by itself, and runs where there is neither a screen nor a sandbox.
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",  # one process then compiles the scripts once for all pages
]


def executable() -> str:
    found = os.environ.get("ERSTWHILE_TEST_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        raise RuntimeError(
            "The dashboard is tested in Chromium and there is none here. `make test` installs it where it may; else install it "
            "(Debian and Ubuntu: apt-get install chromium), or name one in ERSTWHILE_TEST_CHROMIUM."
        )
    return found
