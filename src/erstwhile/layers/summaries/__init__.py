"""Chunk and meta summaries.

Made from ten messages (level 0), or from ten summaries of the level below; read by the context and by search. Always true: a channel is cut
into chunks in order, without gap or overlap; there is at most one summary per (channel, level, range), whoever works on it; facts are read
from the messages of the same range, never from a summary. What the extractive writer wrote is a draft and gives way to a model's.
"""
