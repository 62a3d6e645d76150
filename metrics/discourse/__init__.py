"""Discourse structure as a measure of translation: trees, parsers, the tree kernel, DR and DR-LEX."""
