"""Repeats the experiments of five papers on other data and compares the tables with the printed ones.

``report`` defines the report and holds the printed numbers, ``rendering`` writes it, ``recipes`` runs the
module of a paper by name.
"""
