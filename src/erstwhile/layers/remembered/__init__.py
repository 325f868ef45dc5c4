"""What someone asked to be remembered: one text per person and audience, in the third person.

It is made from tellings: requests to remember or to forget, with who asked, where, and in which
words. `about` and the context read it. Always true: a telling is on disk before it is merged;
remembering loses nothing that is not contradicted, and forgetting removes only what was named; what
one person says about another keeps their name; what was told in a private channel is in a text of
its own, visible only there (its *audience* is the channel).
"""
