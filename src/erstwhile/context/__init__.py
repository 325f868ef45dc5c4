"""The context: the right few hundred tokens for a question, with where each line came from.

Made from recall, the rooms and the log by a *recipe*; read by whoever asks a model. Always true: the whole text stays within the budget, an
empty part leaves no heading, what people said can't pass for a heading or for someone else's line, and the head (the summaries) stays the
same, byte for byte, until the memory itself changes, whatever the question.
"""
