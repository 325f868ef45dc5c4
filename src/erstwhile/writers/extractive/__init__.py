"""Summaries and facts without a model: the conversation's own sentences, chosen and dated, never reworded.

`statements` reads lines into judged sentences, `worth` weighs one, `answers` finds the question or the yes it belongs to,
`facts`, `summary` and `condense` choose, `dates` says when "last week" was, and `structure` notes single memories.
What to look for is in `language/<code>/` (`facts`, `dates`, `sentences`, `memory_rules`).

Who gets it: newcomers without a key, and every space
while its model is away; what is written here is a draft that a model replaces.
"""

from erstwhile.writers.extractive.writer import ExtractiveWriter

__all__ = ["ExtractiveWriter"]
