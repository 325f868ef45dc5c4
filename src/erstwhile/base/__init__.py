"""The base: settings, clock, ids, errors, logs, crash points. It imports no other package of
erstwhile.
"""
