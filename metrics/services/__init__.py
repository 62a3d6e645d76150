"""Everything of the metrics app that writes: one function, one transaction."""
