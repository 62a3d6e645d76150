"""Forms for managers; they return domain values."""
