"""What happened, day by day."""
