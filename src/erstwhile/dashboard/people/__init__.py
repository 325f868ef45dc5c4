"""What is known of a person, drawn and tended."""
