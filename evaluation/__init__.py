"""Appraise: human evaluation."""
