"""Similarity of discourse trees as a metric: trees, parsers, the tree kernel, DR and DR-LEX (paper 004)."""
