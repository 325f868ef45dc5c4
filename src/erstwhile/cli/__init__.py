"""The command line. Data goes to stdout, everything else to stderr; `--json` is for scripts.

Exit codes: 0 fine, 1 failed, 2 wrong usage.
"""

from __future__ import annotations

import gc
import sys

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
