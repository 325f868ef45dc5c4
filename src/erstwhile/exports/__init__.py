"""Exports: a person, a channel or a space as one zip, for programs and people, and back.

An export is read from one moment of the log and the memories, page by page. A person's export has
no words of others, except where the person's own memories quote them, and nothing that they could
not read. It has no key. A file is written, and loaded, completely or not at all.
"""
