"""The memory in the shape that agent frameworks ask for. Each file is imported only by who uses that framework, and goes through the door.

A framework's own objects are kept whole, as JSON in a message's `meta`; the message's text is what they say, for the memory to read.
The log never loses anything: what a framework takes back or clears is marked as such in the log, and from then on not shown to it.
"""
