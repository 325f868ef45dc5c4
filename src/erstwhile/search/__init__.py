"""Search: find the messages and memories that a question is about.

Made from the index, the log and the layers; read by the context and the interfaces. Always true: a
hit belongs to the space that was searched and carries its direct sources; the text of a query is
never interpreted as search syntax.
"""
