"""API keys: who may call the server, for which space and how long; and daily token limits."""
