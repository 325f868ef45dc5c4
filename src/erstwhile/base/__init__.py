"""The base: settings, clock, ids, errors, logs, crash points. Everything stands on it; it imports nothing of ours."""
