"""Appraise: the site, its settings and its operation."""
