"""The pages of the metrics app."""
