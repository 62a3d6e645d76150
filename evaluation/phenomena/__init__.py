"""What a disputed pair of phrases is about: word order, inflection, a number, a negation …"""

from evaluation.phenomena.kinds import Phenomenon, phenomena

__all__ = ["Phenomenon", "phenomena"]
