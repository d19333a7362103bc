"""What is known against a test, said when it is chosen: levels measured on simulated truth."""

from __future__ import annotations

from metaeval.significance.plan import Plan, Test

CAVEATS: dict[Test, str] = {
    "perm-both": (
        "PERM-BOTH swaps single cells: where metrics have item effects of their own it calls equal metrics "
        "different 15% of the time at 5% without grouping, 2 to 3% by item (docs/significance.md)"
    ),
    "perm-systems": (
        "PERM-SYSTEMS swaps whole systems: where metrics have item effects of their own it calls equal "
        "metrics different 15% of the time at 5% without grouping (docs/significance.md)"
    ),
    "perm-pairs": (
        "PERM-PAIRS takes the pairs of an item for independent, which they are not: it calls equal metrics "
        "different 16% of the time at 5% (docs/significance.md)"
    ),
}
"""By test; the default, PERM-INPUTS, held its level throughout."""


def caveats(plan: Plan) -> list[str]:
    """What a reader should know of the test that was chosen.

    >>> caveats(Plan()), len(caveats(Plan(test="perm-pairs")))
    ([], 1)
    """
    return [CAVEATS[plan.test]] if plan.test in CAVEATS else []
