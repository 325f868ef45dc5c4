"""Retention: expire memories after as many days as the settings of the server or space say.

Made from nothing, read by nobody. Always true: messages that a step still has to read are kept, and
so are the latest of a channel; memories made from expired ones stay and still name them; the text
of what expired is in neither search nor history; each page is its own transaction; a second run
finds nothing to do.
"""
