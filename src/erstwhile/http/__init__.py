"""The HTTP face: every verb of the door as a route, the chat protocols that other programs already speak, and the feed of changes.

`app.py` puts it together over an open memory; `serve.py` runs it. What is asked goes through `guard.py` (hosts, origins, sizes), then
`caller.py` says who asks and what they may, then a route calls the door. Whatever goes wrong becomes a problem (`problems.py`).
"""
