"""Import a part of a large library without its optional dependencies.

NLTK's stemmers need nothing but Python, yet importing them loads NLTK's adapters, and those scikit-learn,
pandas and SciPy where they are installed: two seconds and 160 MB for a function from word to stem. NLTK works
without them, so for the duration of one import, and in the importing thread only, they are hidden.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from threading import get_ident
from types import ModuleType

HEAVY = frozenset({"matplotlib", "pandas", "scipy", "sklearn"})


def import_lightly(name: str, without: frozenset[str] = HEAVY) -> ModuleType:
    """The module ``name``, imported as if the packages ``without`` were not installed.

    What was imported before, by anybody, is used as it is.

    >>> import_lightly("nltk.stem.snowball").SnowballStemmer("english").stem("houses")
    'hous'
    """
    guard = _Absent(without, get_ident())
    sys.meta_path.insert(0, guard)
    try:
        return import_module(name)
    finally:
        sys.meta_path.remove(guard)


class _Absent(MetaPathFinder):
    """Hides some packages from one thread; other threads import them as usual."""

    def __init__(self, packages: frozenset[str], thread: int) -> None:
        self.packages = packages
        self.thread = thread

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in self.packages and get_ident() == self.thread:
            raise ModuleNotFoundError(f"{fullname} is left out of this import", name=fullname)
        return None
