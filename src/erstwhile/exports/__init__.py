"""Exports: everything of a person, of a channel, or of a space, as one zip for machines and people, and back.

Made from the log and every room, of one moment, page by page; read by nobody here but whoever imports one. Always true: of others' words a
person's export holds none but what the person's own memories quote, and nothing from channels they cannot see; there is no key in it,
sealed or not; the file is there whole, or not at all; and so is what is loaded from one.
"""
