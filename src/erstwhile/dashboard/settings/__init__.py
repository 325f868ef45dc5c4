"""The parts of the settings page, one file each."""
