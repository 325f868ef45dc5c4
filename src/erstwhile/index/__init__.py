"""The index: a document per message or memory, with its analysed terms.

Made from the log and the layers, in the transaction that writes them; read by search. Always true:
all terms come from one analyser (erstwhile.text.analyse), so both databases match the same
documents. It can be emptied and rebuilt.
"""
