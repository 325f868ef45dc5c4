"""When a question or a message is about: the expressions of time in a text, as dates on the speaker's calendar.

`folding` makes the text plain, `tokenizer` turns it into tokens by the words of a language
(`language/<code>/time.toml`), `grammar` says which tokens mean what (`language.meaning`),
`expressions` puts since, before and between to them, `resolve` counts the days, and `find` has the
functions for others. Pure functions, no failure on any text.
"""

from __future__ import annotations

from erstwhile.text.when.find import (
    Effort,
    TimeSpan,
    asks_when,
    happened,
    refers_back,
    spans,
    words,
)

__all__ = ["Effort", "TimeSpan", "asks_when", "happened", "refers_back", "spans", "words"]
