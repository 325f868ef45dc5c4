"""What can be searched: a document per message or memory, with its analysed terms.

Made from the log and the rooms, in the transaction that writes them; read by recall. Always true: the terms come from the one analyser
(erstwhile.text.analyse), so both databases match the same documents. It can be emptied and rebuilt.
"""
