"""The parts of the settings page, one file each. What needs no browser is in `diff` and `words`."""
