"""Chunk and meta summaries.

A chunk summary is made from ten messages (level 0), a meta summary from ten summaries of the level
below. The context and search read them. Always true: a channel is cut into chunks in order, without
gap or overlap; there is at most one summary per (channel, level, range); facts are extracted from
the messages of the same range, never from a summary. What the extractive writer wrote is a draft,
and a model's summary replaces it.
"""
