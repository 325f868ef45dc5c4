"""The feed of changes: a row for each thing that changed, written in the transaction of the change, read in order by whoever watches.

Memories are told of where their search documents are written (`index`), messages where they are appended (`log`), the rest by `emit`.
Always true: in the order of their cursors events never come late, so that a reader who goes on from the last cursor it saw misses nothing
and sees nothing twice, in whatever order transactions commit and whoever wrote them.
"""
