"""The context: the right few hundred tokens for a question, with where each line came from.

Made from search, the layers and the log by a *recipe*. Always true: the text stays within the budget, an empty part
leaves no heading, what people said can't pass for a heading or for someone else's line, and the head (the summaries)
is the same, byte for byte, for every question until the memory itself changes.
"""
