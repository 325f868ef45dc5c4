"""Bring conversations into a space, from a file that the browser uploads."""
