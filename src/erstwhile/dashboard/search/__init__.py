"""Looking through everything."""
