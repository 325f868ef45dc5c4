"""The log: spaces, channels, people with their names over time, and every message as it was sent.

Made from what people say; read by everyone above. Always true: a message is never changed, each
channel's `seq` goes up by one (only what expired leaves gaps), and when `append` returns, the
messages, their search terms and the jobs they call for are on disk together. The same `key` again
changes nothing.
"""
