"""German tags from HanTa, and counts of phrases read off them.

No German constituency parser is available from the registries we use, so the source side of paper 001's
"shallow grammatical match" (counts of NP, VP, PP, NN and punctuation) rests on tags: the tags are a real
tool's, the phrases are rules of thumb, and ``GermanTagger.chunk_tool`` says ``heuristic``. Parse likelihood
is missing for German unless parses are uploaded.

* NN: common nouns and names. Punctuation: ``$.``, ``$,``, ``$(``.
* NP: a run of nouns with what stands before it, or a pronoun that stands for a noun phrase.
* PP: one per preposition. VP: one per verb, as the treebank's English has one per verb of a verb group.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluation.tokens import tokenize
from metrics.linguistics import base
from metrics.linguistics.cache import Cache, answers
from metrics.linguistics.process import Closeable, Failure, Pool, Worker

WORKER = Path(__file__).parent / "workers" / "hanta_tags.py"
NOUNS = ("NN", "NE", "FM")
PRONOUNS = ("PPER", "PDS", "PIS", "PRF", "PPOSS", "PWS", "PRELS")
PREPOSITIONS = ("APPR", "APPRART", "APPO")
BATCH = 20


def phrase_counts(tags: Sequence[str]) -> Counter[str]:
    """How many phrases of each kind the tags of a sentence suggest.

    >>> sorted(phrase_counts(["ART", "ADJ(A)", "NN", "VV(FIN)", "APPR", "NE", "NE", "$."]).items())
    [('NN', 3), ('NP', 2), ('PP', 1), ('PUNC', 1), ('VP', 1)]
    """
    nouns = [tag in NOUNS for tag in tags]
    runs = sum(here and not before for before, here in zip([False, *nouns], nouns, strict=False))
    return Counter(
        NN=sum(nouns),
        NP=runs + sum(tag in PRONOUNS for tag in tags),
        PP=sum(tag in PREPOSITIONS for tag in tags),
        VP=sum(tag.startswith("V") for tag in tags),
        PUNC=sum(tag.startswith("$") for tag in tags),
    )


class GermanTagger(Closeable):
    """Tags German sentences; use as a context manager, or ``close()`` it."""

    def __init__(self, *, workers: int = 1, time_out: float = 60.0, cache_path: Path | None = None) -> None:
        self._workers = workers
        self._time_out = time_out
        self._cache = Cache(cache_path, self.tool) if cache_path else None
        self._pool: Pool[list[str], list[str]] | None = None

    @cached_property
    def tool(self) -> base.Tool:
        """Identity of the tagger; raises ToolAbsent where it is not installed."""
        package, version = base.package("HanTa"), base.distribution_version("HanTa")
        if package is None or version is None:
            raise base.ToolAbsent("The German tagger HanTa")
        return base.Tool("hanta", version, base.file_digest(package / "morphmodel_ger.pgz"), base.Mode.REAL)

    @property
    def chunk_tool(self) -> base.Tool:
        """Identity of the phrase counts: real tags, rules on top of them."""
        return base.Tool("hanta-chunks", self.tool.version, self.tool.model_hash, base.Mode.HEURISTIC)

    def tag(self, sentences: Sequence[str]) -> list[tuple[tuple[str, str], ...] | None]:
        """(word, tag) of every sentence; None where the tagger failed."""
        tokens = [list(tokenize(sentence, "de")) for sentence in sentences]
        found = answers([json.dumps(words) for words in tokens], self._cache, self._ask)
        return [
            None if isinstance(tags, Failure) else tuple(zip(words, tags, strict=True))
            for words, tags in zip(tokens, found, strict=True)
        ]

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _ask(self, texts: list[str]) -> Iterator[Any]:
        if self._pool is None:
            self._pool = Pool(self._worker, self._workers)
        return self._pool.map([json.loads(text) for text in texts], batch=BATCH)

    def _worker(self) -> Worker[list[str], list[str]]:
        return Worker([str(base.python()), str(WORKER)], time_out=self._time_out)
