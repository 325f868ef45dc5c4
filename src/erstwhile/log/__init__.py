"""The log: spaces, channels, people with their names over time, and every message, as it was said.

Made from what people say; read by everyone above. Always true: a message is never changed, its `seq` in the channel has no gaps, and when
`append` returns, the messages, their search terms and the jobs they call for are on disk together. A repeated `key` changes nothing.
"""
