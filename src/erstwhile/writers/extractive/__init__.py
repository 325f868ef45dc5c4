"""Summaries and facts without a model: sentences of the conversation, chosen and dated, never
reworded.

`statements` splits lines into sentences and judges them, `worth` scores one, `answers` finds the
question or agreement it belongs to, `facts`, `summary` and `condense` choose, `dates` resolves
"last week", and `structure` finds memories with a type. The patterns are in `language/<code>/`.

Used without a key, and while a model is unavailable. The result is a draft that a model replaces.
"""

from erstwhile.writers.extractive.writer import ExtractiveWriter

__all__ = ["ExtractiveWriter"]
