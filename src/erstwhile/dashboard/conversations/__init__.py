"""The messages of a channel and its memories."""
