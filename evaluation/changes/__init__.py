"""What changed between two campaigns, or between two releases of a system.

``change`` compares any share that is a sum over sentences; ``changes`` compares whole campaigns by it.
"""

from evaluation.changes.campaigns import Changed, Changes, Sides, What, changes
from evaluation.changes.rejudged import Rejudged, rejudged
from evaluation.changes.shares import Change, change

__all__ = ["Change", "Changed", "Changes", "Rejudged", "Sides", "What", "change", "changes", "rejudged"]
