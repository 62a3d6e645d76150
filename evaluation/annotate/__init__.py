"""Claim a slot, show its questions, append answers; and the practice round."""
