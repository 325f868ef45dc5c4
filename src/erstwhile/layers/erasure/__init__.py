"""Erasure: everything of a person, of a channel or of a source goes, or a message, with what was made of it, and a receipt says how much.
What is edited and deleted where it was said is followed in the same way, without a receipt (see revising.py).

Made from nothing, read by nobody: it only takes away. Always true: it is one transaction; what was made of their words alone is gone with
it, and what was made of theirs and others' has no words until it is made again without theirs; whatever a worker was just making of them
is refused; of what went only keyed hashes stay, by which it does not come back.
"""
