"""When a question is about: the expressions of time in a query, as dates on the asker's calendar.

`folding` makes the text plain, `tokenizer` turns it into tokens by the words of a language
(`language/<code>/time.toml`), `grammar` says which tokens mean what (`language.meaning`),
`expressions` puts since, before and between to them, `resolve` counts the days, and `find` has the
two functions for others. Pure functions, no failure on any text.
"""

from __future__ import annotations

from erstwhile.text.when.find import TimeSpan, refers_back, spans

__all__ = ["TimeSpan", "refers_back", "spans"]
