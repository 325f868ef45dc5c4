"""Filters and snippets of the search page."""
