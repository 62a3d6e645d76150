"""Endurance: several hosts, every interleaving, a long simulated campaign, and growth.

``python -m endurance hosts|explorer|soak|growth``: each part writes its figures to
``endurance/figures.json``, and the page ``docs/endurance.md`` from the figures of all parts.
"""
