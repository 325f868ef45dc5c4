"""Facts: the details that a summary loses.

They are extracted from the same messages as a chunk's summary, at the same time. The context and
search read them. Always true: a range is read once (its *extract*), also if it has no facts; a fact
has the writer's words, its range, and the message it comes from most. A model's facts replace
drafts of the extractive writer; what a person edited stays.
"""
