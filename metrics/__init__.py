"""Appraise: automatic metrics."""
