"""What turns texts into vectors, so that search finds what was meant and not only what was said.

`port.py` says what an embedder promises; `choose.py` picks one by the settings; the other files are the embedders, one each.
Always true: importing any of this loads no model and nothing heavy. Vectors with the same name can be compared, others can't.
"""
