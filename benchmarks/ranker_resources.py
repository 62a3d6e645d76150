"""The texts behind the ranking tables: ``python -m benchmarks.ranker_resources --out FOLDER``.

Writes ``lm.txt`` (English, one sentence a line), ``lexicon.de`` and ``lexicon.en`` (parallel) from the
judgement sets of ``APPRAISE_DATA`` and the documentation corpus (``studies/debian_corpus.py``).
Nothing of WMT 2008, 2010 and 2012, the sets of the tables, goes in. A ranker that is trained on 2013 or 2015
needs texts ``--without`` these years: what the language model and the lexicon have read looks better than it
is. Then:

    manage.py train lm --text FOLDER/lm.txt --out lm.npz
    manage.py train lexicon --source FOLDER/lexicon.de --target FOLDER/lexicon.en --source-language de --out …
"""

from __future__ import annotations

import argparse
import os
import random
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from appraise.lib.streams import read_lines
from appraise.lib.tables import TsvReader

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("APPRAISE_DATA", ROOT.parent / "shared/data/dev"))
INTO_ENGLISH = ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
YEARS = ("rr_wmt13_pairs", "rr_wmt15")
OUTPUTS_A_SOURCE = 3  # of systems, so that the lexicon also meets the words that machines choose


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--debian", type=Path, help="the documentation corpus")
    parser.add_argument("--without", nargs="*", default=[], choices=YEARS, help="leave these sets out")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    years = [year for year in YEARS if year not in options.without]
    debian = read_lines(options.debian) if options.debian else ()
    english = [*(text for _, text in debian), *brown(), *dict.fromkeys(news(years))]
    pairs = [*dict.fromkeys(translations(years)), *machine_translations(years)]
    _write(options.out / "lm.txt", english)
    _write(options.out / "lexicon.de", [german for german, _ in pairs])
    _write(options.out / "lexicon.en", [text for _, text in pairs])
    print(f"{len(english):,} English sentences, {len(pairs):,} German–English pairs")


def brown() -> Iterator[str]:
    """The Brown corpus, without its tags."""
    with zipfile.ZipFile(DATA / "nltk_data" / "brown.zip") as archive:
        for name in sorted(archive.namelist()):
            if name.rpartition("/")[2].startswith("c") and name[-2:].isdigit():
                for line in archive.read(name).decode("latin-1").splitlines():
                    if words := [token.rpartition("/")[0] for token in line.split()]:
                        yield " ".join(words)


def news(years: Sequence[str]) -> Iterator[str]:
    """English sides of the test sets of other years."""
    if "rr_wmt13_pairs" in years:
        yield from (row["reference"] for row in _rows("rr_wmt13_pairs/de-en.segments", "reference"))
    for pair in INTO_ENGLISH if "rr_wmt15" in years else ():
        yield from (row["reference"] for row in _rows(f"rr_wmt15/{pair}.segments", "reference"))
        back = "-".join(reversed(pair.split("-")))
        yield from (row["source"] for row in _rows(f"rr_wmt15/{back}.segments", "source"))
    yield from (row["reference"] for row in _rows("da_wmt17/newstest2017_toen_DAseg", "reference"))
    yield from (row["source"] for row in _rows("mqm/newstest2021.en-de.segments", "source"))


def translations(years: Sequence[str]) -> Iterator[tuple[str, str]]:
    """German and English sentences that people translated."""
    for year in years:
        yield from ((row["source"], row["reference"]) for row in _rows(f"{year}/de-en.segments", "reference"))
    if "rr_wmt15" in years:
        yield from (
            (row["reference"], row["source"]) for row in _rows("rr_wmt15/en-de.segments", "reference")
        )
    for row in _rows("da_wmt17/newstest2017_toen_DAseg", "lp"):
        if row["lp"] == "de-en":
            yield row["source"], row["reference"]
    for name in ("mqm/newstest2021.en-de.segments", "mqm/ted.en-de.segments"):
        yield from ((row["refA"], row["source"]) for row in _rows(name, "refA"))


def machine_translations(years: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A few outputs of every German source of 2013 and 2015, drawn by seed."""
    chance = random.Random(1)
    for year in years:
        sources = {row["seg"]: row["source"] for row in _rows(f"{year}/de-en.segments", "source")}
        found: dict[str, list[str]] = {}
        for row in _rows(f"{year}/de-en.outputs", "translation"):
            found.setdefault(row["seg"], []).append(row["translation"])
        for seg, outputs in found.items():
            different = list(dict.fromkeys(filter(None, outputs)))
            for text in chance.sample(different, min(OUTPUTS_A_SOURCE, len(different))):
                yield sources[seg], text


def _rows(name: str, *wanted: str) -> Iterator[dict[str, str]]:
    yield from (row for _, row in TsvReader(DATA / f"{name}.tsv.gz", wanted))


def _write(path: Path, texts: list[str]) -> None:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


if __name__ == "__main__":
    main()
