"""Published benchmarks of conversational memory, run through the public API.

`locomo` and `longmemeval` read the files, `run` stores and asks, `answers` uses a model, `score`
computes. The data sets are not part of the package.
"""
