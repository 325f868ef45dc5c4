"""The one table of memories, and everything that is done to a memory: written, read, edited, deleted, restored, listed, erased.

Made by the layers, each of which owns some kinds; read by search, contexts and every interface. Always true: a memory is written with
its search document, its event, its flags and its version in one transaction; what a person edited stays until someone says to
overwrite it; what a person deleted keeps its row and does not come back by itself.
"""
