"""The feed of changes: a row for each change, written in its transaction and read in order.

Memories are reported where their search documents are written (`index`), messages where they are
appended (`log`), the rest by `emit`. Always true: no event appears before an earlier cursor, so a
reader that continues from its last cursor misses nothing and sees nothing twice, in whatever order
transactions commit.
"""
