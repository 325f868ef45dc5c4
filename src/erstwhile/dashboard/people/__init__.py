"""What is known about a person, and what can be done about it."""
