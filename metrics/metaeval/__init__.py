"""How well does a metric agree with people? Statistics over cells that people judged.

``evaluation.evaluate`` computes all figures of one metric. ``kendall`` compares segments with pairwise
judgements, ``correlation`` scores with scores, ``systems`` whole systems. ``datasets`` and ``text_files``
read the files, ``scoring`` applies a metric to them.
"""
