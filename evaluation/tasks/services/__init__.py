"""What writes: one function, one transaction."""
