"""Ratios against peers, measured side by side in one process; ``make bench`` runs them all."""
