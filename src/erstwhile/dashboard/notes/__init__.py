"""Notes and topics by day."""
