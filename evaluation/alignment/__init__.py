"""Phrase alignment of two translations: the unit that people judge here (paper 003, sections 2 and 3)."""

from evaluation.alignment.phrases import align
from evaluation.alignment.values import Alignment, Kind, Link, Mode, Phrase, format_links
from evaluation.alignment.words import ALIGNERS, Corpus, WordAligner, aligner

__all__ = [
    "ALIGNERS",
    "Alignment",
    "Corpus",
    "Kind",
    "Link",
    "Mode",
    "Phrase",
    "WordAligner",
    "align",
    "aligner",
    "format_links",
]
