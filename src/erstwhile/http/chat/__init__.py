"""OpenAI- and Anthropic-compatible chat with memory: chat completions, responses, messages.

`routes.py` answers a request. `recall.py` reads its options and builds its context, which a
protocol (`protocol.py`; the three of them are in `providers.py`) inserts into the body; the rest of
the body is unchanged. `upstream.py` addresses the space's model and passes its response on, and
`turn.py` logs the turn. If memory fails, the chat still goes through.
"""
