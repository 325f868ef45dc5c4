"""The chat protocols that other programs already speak, with memory put in: OpenAI's chat completions and responses, Anthropic's messages.

A request is read (`asking.py`), what is remembered is looked up (`recalling.py`) and put into the body (`openai_chat.py`,
`openai_responses.py`, `anthropic_messages.py`), the rest of which goes on byte for byte (`body.py`). The space's own model is asked
(`upstream.py`), its answer is passed on as it comes (`relay.py`) and listened to (`heard.py`), and the turn is logged (`turn.py`). Whatever
the memory does or fails to do, the chat goes on.
"""
