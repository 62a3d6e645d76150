"""What a phrase pair is about: word order, inflection, a number, a negation …

``classify_pair`` classifies two phrases by their words; ``compute_profile`` summarises a study by phenomena.
"""
