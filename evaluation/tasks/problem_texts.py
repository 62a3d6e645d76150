"""Problems in the language of the reader, on pages.

Readers of files make their messages in English, with numbers and names in them, and so they stay in commands,
logs, files and the API. A page finds the text of the catalogue from which the message was made: each gap
``{1}`` stands for any words.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from django.utils.translation import get_language, gettext, pgettext, trans_real

CONTEXT = "problem"  # of these texts in the catalogue
_GAP = re.compile(r"\{(\d)\}")


def translate_problem(text: str) -> str:
    """Translate a message or a remedy; one that the catalogue does not know stays as it is.

    >>> translate_problem("the file is blank"), translate_problem("")
    ('the file is blank', '')
    """
    return _translate(text, get_language() or "") if text else ""


def name_language(text: str) -> str:
    """The language of a message on this page."""
    return "en" if translate_problem(text) == text else get_language() or "en"


def has_words(msgid: str) -> bool:
    """Whether the words between the gaps tell a message from others.

    >>> has_words("{1}: {2}"), has_words("line {1} is blank")
    (False, True)
    """
    return len(re.findall(r"[A-Za-z]{2,}", _GAP.sub("", msgid))) > 1


@lru_cache(maxsize=2000)
def _translate(text: str, language: str) -> str:
    for pattern, msgid in _patterns(language):
        if match := pattern.fullmatch(text):
            # Every second part of the split text is the number of a gap.
            parts = _GAP.split(pgettext(CONTEXT, msgid))
            parts[1::2] = [match[int(number)] for number in parts[1::2]]
            return "".join(parts)
    return gettext(text)


@cache
def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """What messages of each text look like; those with the most letters of their own come first."""
    prefix = f"{CONTEXT}\x04"
    # As Django's JavaScriptCatalog reads it; a plural has a tuple as its key.
    keys = trans_real.translation(language)._catalog.keys()  # type: ignore[attr-defined]
    msgids = {key.removeprefix(prefix) for key in keys if isinstance(key, str) and key.startswith(prefix)}
    return [
        (re.compile("(.*?)".join(map(re.escape, _GAP.split(msgid)[::2])), re.DOTALL), msgid)
        for msgid in sorted(msgids, key=lambda msgid: (-len(_GAP.sub("", msgid)), msgid))
    ]
