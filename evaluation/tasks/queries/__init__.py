"""What managers see of their tasks."""
