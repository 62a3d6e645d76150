"""Invented files of the three formats that bring scores and error spans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management import call_command

from evaluation.models import Task

SOURCES = ["Der Hund schläft.", "Die Katze trinkt Milch.", "Das Haus ist rot.", "Wir gehen heim."]
OUTPUTS = {
    "north": ["The dog sleeps.", "The cat drinks milk.", "The house is red.", "We go home."],
    "south": ["The hound is asleep.", "The cat drinks milky.", "The home is red.", "We walk home."],
    "refA": ["The dog is sleeping.", "The cat drinks milk.", "The house is red.", "We are going home."],
}
DOCUMENTS = ["news\tpets", "news\tpets", "travel\ttrip", "travel\ttrip"]
# By rater, system and segment; a cell that is missing was not rated.
ERRORS: dict[str, dict[tuple[str, int], list[dict[str, Any]]]] = {
    "rater1": {
        ("north", 0): [],
        ("north", 1): [],
        ("north", 2): [],
        ("north", 3): [],
        ("south", 0): [
            {
                "start": 4, "end": 9, "category": "style/unnatural or awkward", "severity": "minor",
                "score": 1, "is_source_error": False,
            },
        ],
        ("south", 1): [
            {
                "start": 15, "end": 20, "category": "accuracy/mistranslation", "severity": "major",
                "score": 5, "is_source_error": False,
            },
        ],
        ("south", 2): [
            {
                "start": 4, "end": 8, "category": "accuracy/mistranslation", "severity": "minor",
                "score": 1, "is_source_error": False,
            },
        ],
        ("south", 3): [],
    },
    "rater2": {
        ("north", 0): [
            {
                "start": 0, "end": 3, "category": "fluency/grammar", "severity": "minor",
                "score": 1, "is_source_error": False,
            },
        ],
        ("north", 1): [],
        ("south", 0): [
            {
                "start": 4, "end": 20, "category": "accuracy/mistranslation", "severity": "major",
                "score": 5, "is_source_error": False,
            },
        ],
        ("south", 1): [
            {
                "start": 4, "end": 20, "category": "accuracy/mistranslation", "severity": "major",
                "score": 5, "is_source_error": False,
            },
        ],
    },
}  # fmt: skip


def write_mtme(folder: Path) -> Path:
    """A directory with two systems, a reference that is judged too, two raters and two metrics."""
    texts = {f"system-outputs/de-en/{name}.txt": lines for name, lines in OUTPUTS.items()}
    files = {
        "sources/de-en.txt": SOURCES,
        "references/de-en.refA.txt": OUTPUTS["refA"],
        "documents/de-en.docs": DOCUMENTS,
        **texts,
        "metric-scores/de-en/chrF-refA.seg.score": [
            f"{system}\t{value}"
            for system, values in (("north", [60.5, 90.0, 99.5, 40.25]), ("south", [30.5, 80.0, 70.5, 45.0]))
            for value in values
        ],
        "metric-scores/de-en/chrF-refA.sys.score": ["north\t72.5", "south\t56.5"],
        "human-scores/de-en.mqm.sys.score": ["north\t-0.25", "south\t-3.5"],
        "human-scores/de-en.mqm.domain.score": [
            "news\tnorth\t-0.5", "news\tsouth\t-6.0", "travel\tnorth\t-0.0", "travel\tsouth\tNone",
        ],
    }  # fmt: skip
    for rater, cells in ERRORS.items():
        files[f"human-scores/de-en.mqm.{rater}.seg.rating"] = [
            f"{system}\t{_dump(cells.get((system, segment)))}"
            for system in ("north", "south")
            for segment in range(len(SOURCES))
        ]
    for name, lines in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return folder


def _dump(errors: list[dict[str, Any]] | None) -> str:
    return "None" if errors is None else json.dumps({"errors": errors})


def write_appraise(folder: Path, *, name: str = "ESA-1") -> tuple[Path, Path]:
    """Answers of two people with a check, a repeat, a tutorial, a corrected answer and an omission."""
    items: list[dict[str, Any]] = [_item(1, "tutorial1", "TGT", "Eins.", "One.", None)]
    for segment, source in enumerate(SOURCES):
        for system in ("north", "south"):
            document = f"{DOCUMENTS[segment].split(chr(9))[1]}#{system}"
            place = f"{system} | {segment} | {document}"
            items.append(_item(len(items) + 1, document, "TGT", source, OUTPUTS[system][segment], place))
    items.append(
        _item(
            len(items) + 1,
            "pets#south#bad0",
            "BAD",
            SOURCES[0],
            "The hound on milk.",
            "south | 0 | pets#south",
        )
    )
    batches = folder / "batches.json"
    task = {"batchNo": 1, "sourceLanguage": "deu", "targetLanguage": "eng"}
    batches.write_text(json.dumps([{"task": task, "items": items}]), "utf-8")
    rows = []
    for number, item in enumerate(items):
        spans = "[]"
        if item["itemType"] == "BAD":
            spans = (
                '"[{""start_i"":4,""end_i"":8,""severity"":""major"",""error_type"":null},'
                '{""start_i"":""missing"",""end_i"":""missing"",""severity"":""minor"",""error_type"":null}]"'
            )
        score = 90 - 5 * number if item["itemType"] == "TGT" else 3
        rows.append(_row("ann1", item, score, spans, 100.5 + number))
    rows.append(_row("ann1", items[1], 77, "[]", 200.25))  # the last answer counts
    rows.append(_row("ann2", items[2], 50, "[]", 300.0))
    answers = folder / f"{name}.scores.csv"
    answers.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    return answers, batches


def _item(
    number: int, document: str, kind: str, source: str, target: str, place: str | None
) -> dict[str, Any]:
    item = {
        "itemID": number, "documentID": document, "itemType": kind, "sourceText": source,
        "targetText": target, "isCompleteDocument": False,
    }  # fmt: skip
    return item if place is None else {**item, "_item": place}


def _row(user: str, item: dict[str, Any], score: int, spans: str, time: float) -> str:
    system = (*item["documentID"].split("#"), "north")[1]
    cells = [user, f"wmt.{system}", item["itemID"], item["itemType"], "deu", "eng", score, item["documentID"]]
    return ",".join(map(str, [*cells, False, spans, time, time + 1]))


def write_mqm(folder: Path) -> Path:
    """A table with marks in the target, one row without an error."""
    header = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity"
    rows = [
        header,
        f"north\tpets\t1\t1\trater1\t{SOURCES[0]}\t{OUTPUTS['north'][0]}\tNo-error\tNo-error",
        f"south\tpets\t1\t1\trater1\t{SOURCES[0]}\tThe <v>hound</v> is asleep.\tStyle/Awkward\tMinor",
        f"south\tpets\t2\t2\trater2\t{SOURCES[1]}\tThe cat drinks <v>milky</v>.\tAccuracy\tMajor",
    ]
    path = folder / "mqm.tsv"
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    return path


def import_files(*words: object, name: str = "Evidence") -> Task:
    """Run ``import_task`` and return the task."""
    call_command("import_task", *map(str, words), "--name", name, verbosity=0)
    return Task.objects.order_by("-pk")[0]
