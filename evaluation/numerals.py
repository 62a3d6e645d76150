"""Numbers as people read them in their language: 1,234.5 in English is 1.234,5 in German.

For text on pages only. Files, JSON, form values, attributes and coordinates keep the point.
"""

from __future__ import annotations

from functools import lru_cache

from django.utils.formats import get_format
from django.utils.translation import get_language


def numeral(text: str) -> str:
    """A number that Python wrote, with the separators of the reader's language and a real minus.

    A number that was rounded to zero has no sign.

    >>> numeral("1,234.5"), numeral("-0.25"), numeral("-0.00"), numeral("+0.001")
    ('1,234.5', '−0.25', '0.00', '+0.001')
    """
    if text[:1] in ("-", "+") and not text.strip("+-0.,"):
        text = text[1:]
    return text.translate(_separators(get_language() or ""))


@lru_cache(maxsize=16)
def _separators(language: str) -> dict[int, str]:
    return str.maketrans(
        {
            ",": get_format("THOUSAND_SEPARATOR", lang=language, use_l10n=True),
            ".": get_format("DECIMAL_SEPARATOR", lang=language, use_l10n=True),
            "-": "−",
        }
    )
