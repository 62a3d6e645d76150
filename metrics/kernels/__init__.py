"""The hot loops of the metrics: plain functions over arrays, one idea per file.

Only equality inside one segment matters to a lexical metric, so there is no vocabulary: every segment
numbers its own words (``words``) or characters (``characters``), exactly, and the other files work on those
numbers. Nothing here is limited by length, alphabet or number of types, nothing is shared between threads.

The functions are compiled by numba when it is there (see ``compiler``). Importing this package imports
neither numba nor any kernel; a metric imports what it needs when it starts to score.
"""
