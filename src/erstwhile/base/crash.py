"""Named crash points, for tests only: `ERSTWHILE_CRASH_AT=name` (or `name:3`, the third time) kills
the process there, as kill -9 would.

In ordinary runs a point costs one comparison.
"""

from __future__ import annotations

import os
import signal

POINTS = (
    "log.append.before_messages",
    "log.append.after_messages",
    "log.append.after_listeners",
    "storage.before_commit",
    "storage.after_commit",
    "jobs.after_claim",
    "jobs.after_step",
    "jobs.after_effects",
    "jobs.after_completion",
    "chunks.after_chunk",
    "chunks.after_meta_enqueued",
    "facts.after_facts",
    "structured.after_structured",
    "brief.after_fold",
    "told.after_telling",
    "told.after_merge",
    "profiles.after_facts",
    "profiles.after_consolidation",
    "notes.after_note",
    "notes.after_buffer",
    "notes.after_followers",
    "notes.after_topics",
    "rebuild.after_empty",
    "index.after_read",
    "index.after_file",
    "index.after_commit",
    "index.after_trim",
    "erasure.after_messages",
    "erasure.after_erased",
    "erasure.after_retracted",
    "erasure.after_reworded",
    "erasure.before_scrub",
    "erasure.after_space",
    "retention.after_page",
    "migrate.before_commit",
    "archive.before_rename",
    "archive.after_rows",
)

_armed, _, _times = os.environ.get("ERSTWHILE_CRASH_AT", "").partition(":")
_left = int(_times or 1)


def point(name: str) -> None:
    if _armed == name:
        _die()


def _die() -> None:
    global _left
    _left -= 1
    if _left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
