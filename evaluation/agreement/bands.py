"""What a κ is called (Landis & Koch 1977, as paper 003 uses it).

The printed classes leave gaps (.20–.21 …); here each class ends where the next one begins.
A κ of exactly .20 is *slight*, also where the computer's quotient comes out as .20000000000000004.
"""

from __future__ import annotations

BANDS: tuple[tuple[float, str], ...] = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
)
ROUNDING = 1e-9


def band(kappa: float | None) -> str | None:
    """The class of a κ; None if there is none.

    >>> band(0.2), band(0.21), band(0.95), band(-0.1), band(None)
    ('slight', 'fair', 'perfect', 'poor (below chance)', None)
    """
    if kappa is None:
        return None
    if kappa < -ROUNDING:
        return "poor (below chance)"
    return next((name for bound, name in BANDS if kappa <= bound + ROUNDING), "perfect")
