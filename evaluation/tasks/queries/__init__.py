"""Queries behind the pages of managers."""
