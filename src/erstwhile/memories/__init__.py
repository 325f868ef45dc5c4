"""The one table of memories: write, read, edit, delete, restore, list and erase memories.

The layers write them; each layer owns some kinds. Search, contexts and every interface read them.
Always true: a memory is written with its search document, event, flags and version in one
transaction; an edit by a person stays until someone asks to overwrite it; a memory that a person
deleted keeps its row and does not come back by itself.
"""
