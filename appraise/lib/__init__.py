"""Pure helpers that both apps share; nothing here imports Django, ``evaluation`` or ``metrics``."""
