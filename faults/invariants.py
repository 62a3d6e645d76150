"""What must hold after every fault, whatever it was.

Every answer is acknowledged in the end, and acknowledged answers are stored with the value that was sent;
nothing is stored twice; no comparison was judged by more people than asked for; the database is whole and its
references lead somewhere. Everything is read with SQL of our own, not with the product's queries.
"""

from __future__ import annotations

from collections.abc import Iterable

from faults.base import SQLITE, Outcome
from faults.databases import Row, Store
from faults.journal import Acknowledged, Journal

MIRROR = {"A>>B": "A<<B", "A>B": "A<B", "A=B": "A=B", "A<B": "A>B", "A<<B": "A>>B", "N/A": "N/A"}
STORED = "SELECT uuid, choice, swapped, version FROM evaluation_ranking"
DOUBLED = (
    "SELECT count(*) FROM (SELECT uuid FROM evaluation_ranking GROUP BY uuid HAVING count(*) > 1) AS u",
    "SELECT count(*) FROM (SELECT 1 AS one FROM evaluation_ranking"
    " GROUP BY annotator_id, pair_id, presentation, version HAVING count(*) > 1) AS v",
)
OVER_OVERLAP = """
SELECT count(*) FROM (
  SELECT s.comparison_id FROM evaluation_ranking r
  JOIN evaluation_slot s ON s.id = r.slot_id
  JOIN evaluation_task t ON t.id = s.task_id
  GROUP BY s.comparison_id, s.presentation, t.overlap HAVING count(DISTINCT r.annotator_id) > t.overlap
) AS crowded
"""
OVER_SEATED = """
SELECT count(*) FROM (
  SELECT a.comparison_id, a.passage_id FROM evaluation_assignment a
  JOIN evaluation_task t ON t.id = a.task_id
  WHERE a.finished_at IS NOT NULL AND a.skip_reason = ''
  GROUP BY a.comparison_id, a.passage_id, a.presentation, t.overlap HAVING count(*) > t.overlap
) AS crowded
"""
FOREIGN_KEYS = """
SELECT c.conrelid::regclass::text, a.attname, c.confrelid::regclass::text, b.attname FROM pg_constraint c
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[1]
WHERE c.contype = 'f'
"""


def check(store: Store, journal: Journal, outcome: Outcome, *, late: bool = False) -> None:
    """All of them; ``late`` where answers after a lost lease may finish a comparison once too often."""
    expect_accepted(journal, outcome)
    entries = list(journal.entries())  # first, because people may still be answering
    lost, changed = compare(entries, store.rows(STORED))
    doubled = sum(store.number(sql) for sql in DOUBLED)
    over = store.number(OVER_OVERLAP) + (0 if late else store.number(OVER_SEATED))
    outcome.counts |= {
        "acknowledged": journal.count, "lost": len(lost), "changed": len(changed), "doubled": doubled,
        "over_assigned": over,
    }  # fmt: skip
    outcome.expect(not lost, f"{len(lost)} acknowledged answers are not stored, the first is {lost[:1]}")
    outcome.expect(not changed, f"{len(changed)} answers are stored with another value: {changed[:1]}")
    outcome.expect(not doubled, f"{doubled} answers are stored twice")
    outcome.expect(not over, f"{over} comparisons were judged by more people than asked for")
    outcome.violations += broken(store)


def expect_accepted(journal: Journal, outcome: Outcome) -> None:
    """Expect that answers were accepted and none was refused for good, which would be a loss."""
    outcome.expect(journal.count > 0, "nothing was acknowledged")
    outcome.expect(not journal.refused, f"answers were refused for good, by status: {dict(journal.refused)}")


def compare(acknowledged: Iterable[Acknowledged], stored: Iterable[Row]) -> tuple[list[str], list[str]]:
    """The ids of acknowledged answers that are missing, and of those that are stored differently.

    >>> compare([Acknowledged("u", 1, "A>B", 1)], [("u", "A<B", True, 1)])
    ([], [])
    >>> compare([Acknowledged("u", 1, "A>B", 1)], [("u", "A>B", 1, 1)])
    ([], ['u'])
    """
    found = {
        str(uuid).replace("-", ""): (MIRROR.get(choice) if swapped else choice, version)
        for uuid, choice, swapped, version in stored
    }
    lost, changed = [], []
    for entry in acknowledged:
        value = found.get(entry.uuid.replace("-", ""))
        if value is None:
            lost.append(entry.uuid)
        elif value != (entry.choice, entry.version):
            changed.append(entry.uuid)
    return lost, changed


def broken(store: Store) -> list[str]:
    """What the database itself says about its own health."""
    if store.kind == SQLITE:
        whole = store.rows("PRAGMA integrity_check")
        dangling = len(store.rows("PRAGMA foreign_key_check"))
    else:
        whole, dangling = [("ok",)], 0
        for table, column, other, key in store.rows(FOREIGN_KEYS):
            dangling += store.number(
                f"SELECT count(*) FROM {table} c LEFT JOIN {other} p ON p.{key} = c.{column}"
                f" WHERE c.{column} IS NOT NULL AND p.{key} IS NULL"
            )
    problems = [f"the database is damaged: {row[0]}" for row in whole if row[0] != "ok"]
    return problems + ([f"{dangling} references lead nowhere"] if dangling else [])
