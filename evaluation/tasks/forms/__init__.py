"""What managers fill in, as domain values."""
