"""A small mt-metrics-eval directory, an Appraise campaign and an MQM table, all of them invented."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from evaluation.importers import SourceFile
from evaluation.importers.evidence import MtmeFiles

SOURCES = ("The red house", "It rains 🌧 today", "Good bye")
OUTPUTS = {
    "alpha": ("Das rote Haus", "Es regnet 🌧 heute", "Auf Wiedersehen"),
    "beta": ("Das Rot Haus", "Heute regnet es 🌧", "Tschüss"),
    "refA": ("Das rote Haus", "Heute regnet es", "Auf Wiedersehen"),
}


def error(
    start: int | None, end: int | None, severity: str = "minor", **changes: object
) -> dict[str, object]:
    score = {"minor": 1.0, "major": 5}.get(severity, 0)
    return {
        "start": start,
        "end": end,
        "category": "fluency/grammar",
        "severity": severity,
        "score": score,
        "is_source_error": False,
    } | changes


def rating(system: str, *errors: dict[str, object], rater: str = "") -> str:
    return f"{system}\t{json.dumps({'errors': list(errors)})}" + (f"\t{rater}" if rater else "") + "\n"


MTME = {
    "sources/en-de.txt": "".join(f"{text}\n" for text in SOURCES),
    "references/en-de.refA.txt": "".join(f"{text}\n" for text in OUTPUTS["refA"]),
    "documents/en-de.docs": "news\tone\nnews\tone\nsocial\ttwo\n",
    **{
        f"system-outputs/en-de/{name}.txt": "".join(f"{text}\n" for text in texts)
        for name, texts in OUTPUTS.items()
    },
    "human-scores/en-de.mqm.merged.seg.rating": rating("beta", error(4, 7, "major"))
    + rating("beta", error(None, None))
    + "beta\tNone\n"
    + rating("alpha")
    + rating("alpha", error(10, 11), error(3, 8, is_source_error=True))
    + rating("alpha", error(0, 3))
    + "refA\tNone\n" * 3,
    "human-scores/en-de.mqm.seg.score": "beta\t-5\nbeta\t-1.0\nbeta\tNone\nalpha\t0.0\nalpha\t-2.0\n"
    "alpha\t-1.0\n",
    "human-scores/en-de.mqm.sys.score": "alpha\t-1.0\nbeta\t-3.0\n",
    "human-scores/en-de.mqm.domain.score": "news\talpha\t-1.0\nnews\tbeta\t-3.0\nsocial\talpha\t-1.0\n",
    "metric-scores/en-de/good-refA.seg.score": "alpha\t0.9\nalpha\t0.5\nalpha\t0.7\nbeta\t0.1\nbeta\t0.6\n"
    "beta\t0.6\n",
    "metric-scores/en-de/good-refA.sys.score": "alpha\t0.7\nbeta\t0.4\n",
    "metric-scores/en-de/odd-src.seg.score": "alpha\t0.1\nalpha\t0.1\nalpha\t0.1\nbeta\t0.9\nbeta\t0.1\n"
    "beta\t0.1\n",
}


def mtme_files(changes: Mapping[str, str | bytes | None] | None = None) -> MtmeFiles:
    """The directory in memory; a changed file with None is missing."""
    contents: dict[str, str | bytes | None] = {**MTME, **(changes or {})}
    files = [
        SourceFile.from_bytes(f"set/{path}", text if isinstance(text, bytes) else text.encode())
        for path, text in contents.items()
        if text is not None
    ]
    return MtmeFiles.from_files(files, "en-de")


def write_mtme_folder(folder: Path) -> Path:
    for path, text in MTME.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def batch_item(
    number: int, document: str, segment: int | None, target: str, kind: str = "TGT"
) -> dict[str, object]:
    item: dict[str, object] = {
        "itemID": number,
        "documentID": document,
        "itemType": kind,
        "sourceText": "" if segment is None else SOURCES[segment],
        "targetText": target,
        "isCompleteDocument": False,
    }
    if segment is not None:
        name, system, *_ = document.split("#")
        item["_item"] = f"{system} | {segment} | {name}"
    return item


BATCHES = [
    {
        "task": {"sourceLanguage": "eng", "targetLanguage": "deu"},
        "items": [
            batch_item(1, "tutorial1", None, "Hallo"),
            batch_item(2, "one#alpha", 0, OUTPUTS["alpha"][0]),
            batch_item(3, "one#alpha", 1, OUTPUTS["alpha"][1]),
            batch_item(4, "one#beta#bad1", 0, "Das Haus Haus", "BAD"),
            batch_item(5, "one#beta", 0, OUTPUTS["beta"][0]),
        ],
    },
    {
        "task": {"sourceLanguage": "eng", "targetLanguage": "deu"},
        # The same item and document as in the first batch, for another segment.
        "items": [
            batch_item(3, "one#alpha", 2, OUTPUTS["alpha"][2]),
            batch_item(4, "two#beta", 2, "Tschüss"),
        ],
    },
]


def esa_row(
    user: str, item: int, document: str, score: int, spans: str, end: float, kind: str = "TGT"
) -> str:
    system = (*document.split("#"), "tutorial")[1]
    quoted = spans.replace('"', '""')
    cells = [user, f"wmt.{system}", item, kind, "eng", "deu", score, document, "False"]
    return ",".join(map(str, cells)) + f',"{quoted}",{end - 5.5},{end}\n'


MISSING = '[{"start_i":"missing","end_i":"missing","severity":"major","error_type":null}]'
MARKED = '[{"start_i":4,"end_i":6,"severity":"minor","error_type":null}]'
ESA = (
    esa_row("u2", 3, "one#alpha", 70, "[]", 2000.25)
    + esa_row("u2", 4, "two#beta", 60, "[]", 2010.5)
    + esa_row("u1", 1, "tutorial1", 100, "[]", 1000.5)
    + esa_row("u1", 2, "one#alpha", 40, MARKED, 1010.5)
    + esa_row("u1", 2, "one#alpha", 90, "[]", 1060.5)
    + esa_row("u1", 3, "one#alpha", 80, MISSING, 1020.5)
    + esa_row("u1", 4, "one#beta#bad1", 10, "[]", 1030.5, "BAD")
    + esa_row("u1", 5, "one#beta", 50, MARKED, 1040.5)
)

MQM_HEADER = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"
MQM = MQM_HEADER + (
    "alpha\tone\t1\t7\tr2\tThe red house\tDas <v>rote</v> Haus\tStyle/Awkward\tMinor\n"
    "alpha\tone\t1\t7\tr2\tThe red house\t<v>Das</v> rote Haus\tFluency/Punctuation\tMinor\n"
    "alpha\tone\t1\t7\tr1\tThe red house\tDas rote Haus\tNo-error\tNo-error\n"
    "alpha\tone\t2\t10\tr1\tIt <v>rains</v> today\tHeute\tAccuracy/Omission\tMajor\n"
    "beta\tone\t1\t7\tr1\tThe red house\tDas Rot Haus\tFound\tHOTW-test\n"
    "beta\tone\t1\t7\tr1\tThe red house\tDas Rot <v>Haus\tNon-translation!\tMajor\n"
)


def source_file(text: str | bytes, name: str = "input.txt") -> SourceFile:
    return SourceFile.from_bytes(name, text if isinstance(text, bytes) else text.encode())


def batches_file() -> SourceFile:
    return source_file(json.dumps(BATCHES), "batches.json")
