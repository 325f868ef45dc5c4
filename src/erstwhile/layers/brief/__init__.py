"""The brief: one rolling summary per channel, followed by the latest turns verbatim.

It is made from the turns after its cursor; the context reads it. Always true: the brief covers
everything up to its cursor, which is an assistant's message; what comes after the cursor is read
verbatim; the brief is never longer than its cap; a channel never has two folds at the same time; it
makes no difference which model wrote a reply.
"""
