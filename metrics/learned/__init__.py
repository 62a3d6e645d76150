"""Metrics that are learned: "human or machine?" (Kulesza 2004) and combinations (Guzmán et al. 2014)."""
