"""How the tables of `test_when*.py` are read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest

from erstwhile.text.when import spans

SEOUL = timezone(timedelta(hours=9))
# A Wednesday. Its week began on Monday the 16th.
NOW = datetime(2026, 11, 18, 15, 30, tzinfo=SEOUL)


@pytest.fixture
def said() -> Callable[..., str]:
    """What a query says about time, as `first..last, …` on the calendar of the asker; `~` before what is vague."""

    def read(query: str, now: datetime = NOW) -> str:
        return ", ".join(
            f"{'' if span.certain else '~'}{_local(span.first, now)}..{_local(span.last, now)}"
            for span in spans(query, now)
        )

    return read


def _local(moment: datetime | None, now: datetime) -> str:
    if moment is None:
        return ""
    return moment.astimezone(now.tzinfo).isoformat(timespec="minutes")[:16].removesuffix("T00:00").removesuffix(":00")
