"""How well does a metric agree with people? Statistics over cells that people judged.

``report.evaluate`` puts the parts together; each part is a small file of pure functions:
``kendall`` (segments, from pairwise verdicts), ``correlation`` (scores against scores), ``systems`` (whole
systems), ``resampling`` (intervals and tests by resampling segments).
"""
