"""Local accuracy, its chi-square table and tau_AP, written as they are defined: loops over pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, permutations, product
from statistics import fmean


def local_accuracy(
    rows: Sequence[tuple[object, object, float, float, float]],
) -> dict[object, float]:
    """Equations 1 and 2 of Deviyani and Diaz (2025) by context; rows: context, input, two scores, weight."""
    of_input: dict[object, dict[object, list[tuple[bool, float]]]] = defaultdict(lambda: defaultdict(list))
    for context, item, better, worse, weight in rows:
        of_input[context][item].append((better > worse, weight))
    return {
        context: fmean(
            sum(w for right, w in pairs if right) / sum(w for _, w in pairs) for pairs in inputs.values()
        )
        for context, inputs in of_input.items()
    }


def tau_ap(ranking: Sequence[float], reference: Sequence[float]) -> float:
    """The mean of tau_AP (Yilmaz et al. 2008) over all ways of breaking the ties of both.

    Metrics that tie in both are rightly above each other.
    """
    places = range(len(ranking))
    agreed = {
        (i, j) for i in places for j in places if ranking[i] == ranking[j] and reference[i] == reference[j]
    }
    pairs = list(product(_orders(ranking), _orders(reference)))
    return fmean(_tau_ap_of_orders(one, other, agreed) for one, other in pairs)


def _tau_ap_of_orders(
    ranking: Sequence[int], reference: Sequence[int], agreed: set[tuple[int, int]]
) -> float:
    n, place = len(ranking), {metric: i for i, metric in enumerate(reference)}
    total = 0.0
    for i in range(2, n + 1):
        metric = ranking[i - 1]
        rightly_above = sum(
            place[other] < place[metric] or (other, metric) in agreed for other in ranking[: i - 1]
        )
        total += rightly_above / (i - 1)
    return 2 / (n - 1) * total - 1


def _orders(scores: Sequence[float]) -> list[tuple[int, ...]]:
    falling = sorted(range(len(scores)), key=lambda i: -scores[i])
    groups = [list(group) for _, group in groupby(falling, key=lambda i: scores[i])]
    return [
        tuple(i for part in parts for i in part)
        for parts in product(*[list(permutations(g)) for g in groups])
    ]
