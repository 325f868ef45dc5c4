"""Published benchmarks of conversational memory, run as any user would run them: through the door.

`locomo` and `longmemeval` read the files, `run` stores and asks, `answers` has a model answer, `score` counts. The data sets themselves
are not part of the package.
"""
