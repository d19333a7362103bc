"""What a number rests on: everything needed to get it again, to be printed beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType

import metaeval
from metaeval.evalset import EvalSet
from metaeval.paired import Paired
from metaeval.significance.plan import Plan


def sign(evalset: EvalSet, paired: Paired, plan: Plan, choices: Mapping[str, object]) -> Mapping[str, object]:
    """Version, data, human scores, reference, the plan, and whatever else was chosen.

    How the work was spread is not among it, because the numbers do not depend on it.
    """
    drawn = {name: value for name, value in asdict(plan).items() if name != "jobs"}
    return MappingProxyType(
        {
            "version": metaeval.__version__,
            "data": evalset.digest[:8],
            "name": evalset.name,
            "pair": evalset.pair,
            "human": paired.protocol,
            "reference": paired.reference,
            **choices,
            **drawn,
        }
    )
