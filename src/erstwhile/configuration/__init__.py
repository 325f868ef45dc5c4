"""Settings of spaces and people: prompts, models with their keys, recipe, privacy, retention.

Layers read them for language work, contexts for their recipe. Always true: a setting is read from
the database each time, so that it applies to the next job in every process; an api_key is stored
encrypted and never shown; the operator's key is never sent to an address that a space has set.
"""
