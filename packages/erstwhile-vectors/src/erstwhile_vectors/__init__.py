"""Sentence vectors for English, German, French, Spanish, Korean, Japanese and Chinese.

A text is the sum of the rows of its words in one table, brought to unit length. Needs numpy alone,
no download and no network. `training/vectors` in the repository of erstwhile makes the table.
"""

from erstwhile_vectors.table import DIMENSIONS, VERSION, embed, numbers, rows

__all__ = ["DIMENSIONS", "VERSION", "embed", "numbers", "rows"]
