"""Phrase alignment of two translations: phrases are what annotators judge (paper 003, sections 2 and 3)."""

from evaluation.alignment.aligners import ALIGNERS, Corpus, WordAligner, load_aligner
from evaluation.alignment.phrases import align
from evaluation.alignment.values import AlignmentMode, Kind, Link, Phrase, PhraseAlignment, format_links

__all__ = [
    "ALIGNERS",
    "AlignmentMode",
    "Corpus",
    "Kind",
    "Link",
    "Phrase",
    "PhraseAlignment",
    "WordAligner",
    "align",
    "format_links",
    "load_aligner",
]
