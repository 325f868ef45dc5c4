"""OpenAI- and Anthropic-compatible chat with memory: chat completions, responses, messages.

`options.py` reads the options of a request. `recall.py` builds its context, which a protocol
(`openai.py`, `anthropic_messages.py`) inserts into the body; the rest of the body is unchanged
(`json_body.py`). `upstream.py` addresses the space's model and passes its response on,
`protocol.py` reads it, and `turn.py` logs the turn. If memory fails, the chat still goes through.
"""
