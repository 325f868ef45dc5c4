"""What someone asked to be remembered: per person one text in the third person.

Made from tellings (who asked, where, in which words); read by `about` and the context. Always true: every telling is on disk before
anything is merged; nothing is lost by remembering, and nothing but what was named by forgetting; what one says of another is kept as that
one's word; what was told in a private channel stays in a text of its own, for that channel (its *audience*).
"""
