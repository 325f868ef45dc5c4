"""Embedders turn texts into vectors, so that search finds similar meanings.

`port.py` is the contract, `choose.py` picks one by the settings; the others are one embedder each.
Always true: importing this loads no model. Vectors of the same name can be compared.
"""
