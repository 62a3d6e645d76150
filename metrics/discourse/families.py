"""The combined metrics of paper 004 (section 4.1), from the parts that exist here; missing ones are listed.

ASIYA's own programs are not used: each part is our metric of the same idea, under our name. Semantic roles
(SRL) and semantic parses (SEM) have no parser here, so those families exist only as imported scores.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A metric as the paper calls it; ``ours`` is empty where no metric of ours takes its place."""

    paper: str
    ours: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """A uniform sum of metrics."""

    name: str
    parts: tuple[Part, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Our metrics, each once, in order."""
        return tuple(dict.fromkeys(part.ours for part in self.parts if part.ours))

    @property
    def missing(self) -> tuple[str, ...]:
        """The paper's names of what is not here.

        >>> SEM.missing
        ('DR-Or(*)', 'DR-Orp(*)')
        """
        return tuple(part.paper for part in self.parts if not part.ours)


BLEU, NIST, ROUGE = Part("BLEU", "bleu"), Part("NIST", "nist"), Part("ROUGE-W", "rouge-w")
METEOR = Part("METEOR-ex", "meteor")  # ours matches stems, too
TER = Part("TERp-A", "ter")  # TER, as there are no paraphrase tables
CP, HWCM_C = Part("CP-STM-4", "cp-stm"), Part("DP-HWCM_c-4", "dp-hwcm-c")
HWCM_R, DP_OR = Part("DP-HWCM_r-4", "dp-hwcm-r"), Part("DP-Or(*)", "dp-or")
ROLES = (Part("SR-Mr(*)"), Part("SR-Or(*)"), Part("SR-Or"))
MEANINGS = (Part("DR-Or(*)"), Part("DR-Orp(*)"))

LEX = Family("asiya-lex", (BLEU, NIST, METEOR, ROUGE, TER))
SYN = Family("asiya-syn", (CP, HWCM_C, HWCM_R, DP_OR))
SRL = Family("asiya-srl", ROLES)
SEM = Family("asiya-sem", MEANINGS)
# Paper 004 gives the number of the ULC's parts, not their names: these are the twelve of its four families.
ULC_LEXICAL = (ROUGE, Part("METEOR-pa", "meteor"), TER)  # ours, without paraphrases
ULC = Family("asiya-0809", (*ULC_LEXICAL, CP, HWCM_C, HWCM_R, DP_OR, *ROLES, *MEANINGS))
SYNONYMS = Part("METEOR-sy")  # meteor-synonyms is left out: the sum would need WordNet
OTHERS = (BLEU, NIST, Part("TER", "ter"), METEOR, Part("METEOR-st", "meteor"), SYNONYMS)
ALL = Family("asiya-all", (*ULC.parts, *OTHERS))
FAMILIES = {family.name: family for family in (LEX, SYN, SRL, SEM, ULC, ALL)}
