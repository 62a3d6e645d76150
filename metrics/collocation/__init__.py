"""Judging fluency from an independent corpus (Han & Lavie 2005, paper 002).

Content words that belong together in a large corpus of the target language should appear together in a good
translation. No reference and no ranking is needed, only text.

    text → tagger → ``words``  → ``counting`` → ``table`` (a file)            training
    text → tagger → ``words``  → ``scoring`` (``association``, ``trees``)     scoring
"""
