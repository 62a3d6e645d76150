"""Judging fluency from an independent corpus (Han & Lavie 2005, paper 002).

Content words that belong together in a large corpus of the target language should appear together in a good
translation. No reference and no ranking is needed, only text.

    text → ``reading`` → ``words`` → ``counting`` → ``table``, a file         ``training``, ``corpus``
    text → ``reading`` → ``words`` → ``scoring`` (``association``, ``trees``) → ``metric``, ``comparing``
    one sentence → ``scoring.branches`` → ``trees.choose`` → ``drawing``, ``dependencies``
"""
