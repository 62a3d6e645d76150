"""Everything that writes: one function, one transaction, and it returns what it made."""
