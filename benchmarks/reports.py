"""Reports and exports of a task with a million rankings: ``python -m benchmarks.reports``.

No other tool can be asked for the same page, so the peer of each job is a limit: seconds of CPU time that the
first opening may cost, or that as many rows may cost at 100,000 rankings a second. Everything happens in a
temporary home with a database of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from benchmarks.base import Result

if TYPE_CHECKING:
    from evaluation.reports.scope import Scope

ITEMS, PAIRS, PEOPLE = 47_620, 4, 6  # four phrase pairs a sentence, as paper 003 counts them
RANKINGS = 1_000_000
SECONDS, RATE = 4.0, 100_000
LABELS = ("A>>B", "A>B", "A=B", "A<B", "A<<B", "N/A")


def run() -> list[Result]:
    """First opening, second opening, and each format of the export."""
    with tempfile.TemporaryDirectory(prefix="appraise-bench-") as home:
        _prepare(home)
        from evaluation.models import User
        from evaluation.reports import cache
        from evaluation.reports.agreement import AgreementOptions, AnnotatorAgreement
        from evaluation.reports.scope import find_scope

        user = User.objects.create(username="bench", is_superuser=True)
        scope = find_scope(user, "task", "big")

        def first() -> object:
            cache.clear_cache()
            return AnnotatorAgreement().compute(find_scope(user, "task", "big"), AgreementOptions())

        results = [
            _check_limit("agreement page, first opening, 10⁶ rankings", "4 s", first, SECONDS),
            _check_limit(
                "the same, second opening",
                "0.1 s",
                lambda: AnnotatorAgreement().compute(find_scope(user, "task", "big"), AgreementOptions()),
                0.1,
            ),
        ]
        return results + [
            _check_limit(
                f"export of 10⁶ rankings, {form}",
                "100,000 rankings/s",
                _export(scope, form),
                RANKINGS / RATE,
                1,
            )
            for form in ("csv", "tsv", "jsonl", "xml", "spreadsheet")
        ]


def _check_limit(job: str, peer: str, work: Callable[[], object], limit: float, rounds: int = 5) -> Result:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    times.sort()
    return Result(job, peer, "s", times[0], limit, limit / times[-1], limit / times[len(times) // 2], 1.0)


def _export(scope: Scope, form: str) -> Callable[[], int]:
    from evaluation.exporters import FORMATS
    from evaluation.reports.exports import load_display_names, read_answered_pairs

    def write() -> int:
        return sum(
            len(piece)
            for piece in FORMATS[form].write(
                read_answered_pairs(scope, load_display_names(scope, identify=False))
            )
        )

    return write


def _prepare(home: str) -> None:
    """Settings, an empty database, and a task with a million rankings in it."""
    os.environ |= {
        "APPRAISE_HOME": home,
        "SECRET_KEY": "b" * 50,
        "DJANGO_SETTINGS_MODULE": "appraise.settings",
    }
    os.environ.pop("DATABASE_URL", None)
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection, transaction

    call_command("migrate", verbosity=0)
    with transaction.atomic(), connection.cursor() as cursor:
        people, pairs, alignments = _task()
        names = "uuid,annotator_id,pair_id,presentation,version,choice,slot_id,alignment_id,swapped,active_ms"
        rows = islice(_rankings(people, pairs, alignments), RANKINGS)
        cursor.executemany(
            f"INSERT INTO evaluation_ranking ({names},elapsed_ms,received_at) "
            "VALUES (%s,%s,%s,0,1,%s,NULL,%s,%s,%s,%s,'2026-11-16 00:00:00')",
            list(rows),
        )


def _task() -> tuple[list[int], list[int], list[int]]:
    """Ids of annotators, pairs and alignments of a task of two systems."""
    from evaluation import models as m

    campaign = m.Campaign.objects.create(slug="big", name="Big")
    task = m.Task.objects.create(
        campaign=campaign, slug="big", name="Big", scheme_name="six-way", state="open"
    )
    systems = [m.System.objects.create(task=task, name=name) for name in ("x", "y")]
    people = [m.Annotator.objects.create(key=f"k{n}").pk for n in range(PEOPLE)]
    items = m.Item.objects.bulk_create(
        [m.Item(task=task, position=n, key=f"s{n}", source="…") for n in range(ITEMS)], 500
    )
    sides = m.Candidate.objects.bulk_create(
        [
            m.Candidate(item=item, text=f"{n} {item.key}", digest=f"{n}{item.key}")
            for item in items
            for n in (0, 1)
        ],
        500,
    )
    m.Output.objects.bulk_create(
        [m.Output(system=systems[n % 2], item=side.item, candidate=side) for n, side in enumerate(sides)], 500
    )
    meetings = m.Comparison.objects.bulk_create(
        [
            m.Comparison(item=item, first=sides[2 * n], second=sides[2 * n + 1])
            for n, item in enumerate(items)
        ],
        500,
    )
    alignments = m.Alignment.objects.bulk_create(
        [m.Alignment(comparison=meeting, aligner="none") for meeting in meetings], 500
    )
    pairs = m.PhrasePair.objects.bulk_create(
        [
            m.PhrasePair(
                task=task, item=items[n // PAIRS], first=f"first phrase {n}", second=f"second phrase {n}",
                kind="different", key=f"{n:032d}", owner=meetings[n // PAIRS],
            )
            for n in range(ITEMS * PAIRS)
        ],
        500,
    )  # fmt: skip
    m.Occurrence.objects.bulk_create(
        [
            m.Occurrence(pair=pair, alignment=alignments[n // PAIRS], index=n % PAIRS, flipped=n % 3 == 0)
            for n, pair in enumerate(pairs)
        ],
        500,
    )
    return people, [pair.pk for pair in pairs], [alignment.pk for alignment in alignments]


def _rankings(people: list[int], pairs: list[int], alignments: list[int]) -> Iterator[tuple[str | int, ...]]:
    """Sentence by sentence, each annotator in turn; about half the answers follow the pair."""
    random = Random(1)
    number = 0
    for sentence, alignment in enumerate(alignments):
        for place, person in enumerate(people):
            for pair in pairs[sentence * PAIRS : (sentence + 1) * PAIRS]:
                number += 1
                label = LABELS[pair % 5] if random.random() < 0.5 else random.choice(LABELS)
                active = random.randint(500, 20_000)
                swapped = (sentence + place) % 2 == 1
                yield uuid.UUID(int=number).hex, person, pair, label, alignment, swapped, active, active + 100


def main() -> int:
    results = run()
    for result in results:
        print(
            f"{result.job}: {result.ours:.2f} s CPU, limit {result.theirs:g} s, "
            f"worst {result.ratio_min:.2f}× under it, median {result.ratio_median:.2f}×"
        )
    return int(any(result.demanded is not None and result.ratio_min < result.demanded for result in results))


if __name__ == "__main__":
    sys.exit(main())
