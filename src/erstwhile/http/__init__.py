"""The HTTP server: a route for every verb of the API, OpenAI- and Anthropic-compatible chat, and
the event stream.

`app.py` creates the application for an open memory; `serve.py` runs it. A request passes
`host_checks.py` (host, request id, log) and `request_checks.py` (origin, key, body); then a route,
which states in `caller.py` what the caller may do, calls the API. Errors become problem documents
(`problems.py`).
"""
