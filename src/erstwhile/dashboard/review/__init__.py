"""Flagged memories."""
