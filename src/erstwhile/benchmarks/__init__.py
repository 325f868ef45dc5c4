"""Published benchmarks of conversational memory, run through the public API.

`data_sets` reads the files, `run` stores, asks and has a model answer, `score` computes;
`own_questions` asks one's own questions of one's own space. The data sets are not part of the package.
"""
