"""Structured memories: facts, preferences, decisions, todos and entities, each with the time it holds for.

Made from the same messages as a chunk's summary and facts, at the same time, never from a summary; read by the context, by search and by
the door. Always true: a range is read once (its *structuring*), also when there was nothing to note; each memory leans on one message of
its range. What contradicts or repeats an earlier one shares its thread, and which of a thread holds when is a function of its
rows and of when they were said, worked out anew in every transaction that changes one: never of the order in which they were read.
An assistant's or a tool's words never make a person's preference, and only what people say of themselves closes what they said before.
"""
