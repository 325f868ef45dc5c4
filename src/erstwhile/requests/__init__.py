"""Requests: one row for each time the memory was asked, so that "it forgot" can be looked into and upgrades follow figures.

Made from what recall and the context did, and from what the model took; read by `why`, `report` and `advise`. Always true: a row is written
once and never changed, writing it delays and breaks no answer, and nothing of it ever enters a prompt.
"""
