"""What a disputed pair of phrases is about: word order, inflection, a number, a negation …

``phenomena`` classifies two phrases by their words; ``profile`` summarises a whole study by phenomena.
"""

from evaluation.phenomena.kinds import Phenomenon, phenomena
from evaluation.phenomena.profile import Line, Profile, profile
from evaluation.phenomena.systems import SystemCell, system_cells

__all__ = ["Line", "Phenomenon", "Profile", "SystemCell", "phenomena", "profile", "system_cells"]
