"""The campaign diff: what changed between two campaigns, or between two releases of a system.

``compare_shares`` compares any share that is a sum over sentences; ``compare_campaigns`` compares campaigns.
"""
