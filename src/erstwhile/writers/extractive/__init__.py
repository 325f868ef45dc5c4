"""Summaries and facts without a model: the conversation's own sentences, chosen and dated, never reworded.

`statements` reads lines into judged sentences, `facts`, `summary` and `condense` choose among them, `dates` says when
"last week" was, and one file per language holds what to look for. Who gets it: newcomers without a key, and every space
while its model is away; what is written here is a draft that a model replaces.
"""

from erstwhile.writers.extractive.writer import ExtractiveWriter

__all__ = ["ExtractiveWriter"]
