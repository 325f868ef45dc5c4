"""Erasure: delete a person, a channel, an origin or a message with everything made from it, and
write a receipt. Edits and deletions on a platform work the same way, without a receipt
(revising.py).

Made from nothing, read by nobody. Always true: an erasure is one transaction; memories made only
from the erased messages are deleted, and memories made from others too lose their text until they
are made again; results that a worker is computing from erased messages are refused; only keyed
hashes of erased messages stay, so that they are not stored again.
"""
