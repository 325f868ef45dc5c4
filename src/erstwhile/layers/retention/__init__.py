"""Retention: every kind of memory goes when it has been kept for as many days as the settings, or the space, say.

Made from nothing, read by nobody: it only takes away. Always true: what work still needs waits (messages that are not cut, summed up, read
or noted yet, and the latest of a channel); what was made of something that went stays and still names it; the words of what went are
nowhere, not in the search and not in the history; each page is a transaction of its own, and a second run finds nothing to do.
"""
