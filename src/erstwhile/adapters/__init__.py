"""Adapters for agent frameworks. Each file is imported only by users of that framework.

Objects of a framework are stored as JSON in a message's `meta`; the message's text is what they
say. The log keeps everything: what a framework removes is marked in the log and hidden from it.
"""
