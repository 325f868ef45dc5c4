"""Structured memories: facts, preferences, decisions, todos and entities, each with its validity.

They are made from the same messages as a chunk's summary and facts, at the same time, never from a
summary. The context, search and the API read them. Always true: a range is read once (its
*structuring*), also if it has none; each memory comes from one message of its range. Memories that
can contradict or repeat each other share a thread. When each of a thread is valid depends only on
its rows and on when they were said, never on the order of reading; it is worked out again in every
transaction that changes one. What an assistant or a tool says never becomes a person's preference,
and only what people say about themselves ends what they said before.
"""
