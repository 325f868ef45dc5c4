"""Recall: finding the messages and memories that a question is about.

Made from the index, the log and the rooms; read by the context and the faces. Always true: a hit belongs to the space that was
asked and carries its direct sources, and the text of a query is only ever text, never search syntax.
"""
