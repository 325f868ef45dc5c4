"""The context: the right few hundred tokens for a question, with the source of each line.

Made from search, the layers and the log by a *recipe*. Always true: the text stays within the
budget; an empty part has no heading; a message can't pass for a heading or for someone else's line;
the head (the summaries) is the same, byte for byte, for every question until the memory changes.
"""
