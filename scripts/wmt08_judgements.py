"""The phrase rankings of WMT 2008 as files for ``manage.py replicate paper-003``, one for each task.

    python -m scripts.wmt08_judgements DATA FOLDER

DATA holds ``rr_wmt08/judgments_wmt08_final.csv.gz``; a file has the columns annotator, item, label, sentence.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

from tests.agreement.recipes import Row, wmt08

COLUMNS = ("annotator", "item", "label", "sentence")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    tasks: defaultdict[str, list[Row]] = defaultdict(list)
    for row in wmt08(options.data, "CONSTITUENT"):
        task = row[3].rpartition(" ")[0].removeprefix("WMT08 ")
        tasks[task.replace(" ", "-").lower()].append(row)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, rows in sorted(tasks.items()):
        with (options.folder / f"{name}.tsv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t", lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
