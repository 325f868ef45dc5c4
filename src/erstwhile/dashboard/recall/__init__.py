"""The Recall lab."""
