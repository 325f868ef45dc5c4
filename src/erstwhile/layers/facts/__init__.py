"""Facts: the concrete things that a summary loses.

Made from the same messages as a chunk's summary, at the same time; read by the context and by search. Always true: a range is read for
facts once (its *extract*), also when there was nothing to record; each fact is kept in the writer's words, with the range it came from and
the message it leans on most. Drafts of the extractive writer give way to a model's facts; what a person edited stays.
"""
