"""Fluency measured by an independent corpus (Han & Lavie 2005, paper 002).

Content words that occur together in a large corpus of the target language should occur together in a good
translation. This needs neither a reference nor rankings, only text.

    text → ``content_words`` → ``counting`` → ``table`` (a file)                      ``training``
    text → ``content_words`` → ``scoring`` (``association``, ``loops``) → ``metric``
"""
