"""Chat platforms: what people say there is taken in, and whoever addresses the bot is answered.

`port.py` is what a platform promises; an adapter (`discord/`, `slack/`) speaks one platform's protocol and nothing else; everything else is
the bot's, the same for all of them. Always true: only channels that were opted in are listened to; what the platform has lost, edited or
deleted meanwhile is caught up with before anything newer is taken in; nothing is told to anyone who could not read it there.
"""
