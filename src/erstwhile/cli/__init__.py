"""The command line. Data goes to stdout, everything else to stderr; `--json` is for scripts.

Exit codes: 0 fine, 1 failed, 2 wrong usage.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from contextlib import suppress

_GARBAGE = 20_000  # new objects between two looks for garbage; a short command makes hardly any


def main() -> None:
    gc.set_threshold(_GARBAGE)
    from erstwhile.base.errors import Error, InvalidInput, SettingsError
    from erstwhile.cli.app import app

    try:
        app()
    except (InvalidInput, SettingsError) as error:
        sys.stderr.write(f"erstwhile: {error}\n")
        sys.exit(2)
    except Error as error:
        sys.stderr.write(f"erstwhile: {error}\n")
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        sys.exit(0)


def run() -> None:
    """Run `main`, and end the process without taking it apart: that is a twelfth of a search."""
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, int | None) and threading.active_count() == 1:
            with suppress(OSError, ValueError):  # Python itself tells what it couldn't write
                atexit._run_exitfuncs()
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(end.code or 0)
        raise
