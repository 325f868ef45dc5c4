"""Benchmarks: each prints what it measured as a Markdown table, to be kept in LOG.md with its date."""
