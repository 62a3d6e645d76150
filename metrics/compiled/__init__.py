"""The hot loops of the metrics: plain functions over arrays.

Only equality within a segment matters to a lexical metric, so there is no vocabulary: every segment numbers
its own words or characters (``numbering``), and the other modules work on these numbers. Length, alphabet and
number of types are unlimited, and threads share nothing.

The functions are compiled by numba (``compiler``). Importing this package imports neither
numba nor any compiled loop; a metric imports what it needs when it starts to score.
"""
