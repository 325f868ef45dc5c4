"""What speaks against memories."""
