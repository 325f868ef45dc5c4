"""Exports: everything of a person, or of a channel, as one zip for machines and people.

Made from the log and every room, page by page; read by nobody here. Always true: of others' words it holds none but what the person's own
memories quote; sources are named by their ids; the file is there whole, or not at all.
"""
