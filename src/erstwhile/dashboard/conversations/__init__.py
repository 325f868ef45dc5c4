"""A channel's thread and its memory."""
