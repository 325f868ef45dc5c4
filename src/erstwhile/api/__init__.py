"""The API: `Memory`, `Channel` and one small object for each noun.

A verb is declared once (`verb.py`), with its types (`types.py`). From the declaration come the
checks of its arguments, its HTTP route (`http/verbs.py`), the call of the remote client
(`client/calls.py`) and the blocking API (`blocking.py`, typed by `blocking.pyi`, which `python -m
erstwhile.api.stub` writes).
"""
