"""The dashboard at `/` of the server: see, search, correct and trust the memory."""
