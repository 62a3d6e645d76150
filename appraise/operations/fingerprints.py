"""A fingerprint of a table that does not depend on the order in which its rows are read.

Two databases sort text differently, so rows cannot be hashed one after the other. The SHA-256 of every row is
added up modulo 2²⁵⁶ instead: rows in any order give the same sum, and a lost, doubled or changed row another.
It detects accidents, not somebody who forges rows to fit a sum.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

MODULUS = 1 << 256


@dataclass(slots=True)
class Fingerprint:
    """How many rows there were, and their sum.

    >>> one, other = Fingerprint(), Fingerprint()
    >>> one.add(b"a"); one.add(b"b"); other.add(b"b"); other.add(b"a")
    >>> one == other
    True
    """

    rows: int = 0
    total: int = 0

    def add(self, row: bytes) -> None:
        self.rows += 1
        self.total = (self.total + int.from_bytes(hashlib.sha256(row).digest(), "big")) % MODULUS

    def as_dict(self) -> dict[str, object]:
        return {"rows": self.rows, "fingerprint": f"{self.total:064x}"}
