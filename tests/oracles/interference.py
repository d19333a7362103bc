"""Interference, with loops: what the fast code must equal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from scipy import stats


def ins_pa(human: Sequence[Sequence[float]], metric: Sequence[Sequence[float]], row: int | None) -> float:
    """Equation 4 of Pombal et al. 2025, instance by instance."""
    right = total = 0
    for s in range(len(human)):
        for t in range(s):
            if row is not None and row not in (s, t):
                continue
            for i in range(len(human[0])):
                h1, h2, m1, m2 = human[s][i], human[t][i], metric[s][i], metric[t][i]
                if any(math.isnan(x) for x in (h1, h2, m1, m2)):
                    continue
                total += 1
                if h1 == h2:
                    right += m1 == m2
                else:
                    right += (m1 > m2) if h1 > h2 else (m2 > m1)
    return right / total if total else math.nan


def deletion_t(x: Sequence[float], y: Sequence[float], row: int) -> float:
    """The externally studentised residual of one point, from scipy's line through the others."""
    xs = [v for i, v in enumerate(x) if i != row]
    ys = [v for i, v in enumerate(y) if i != row]
    line = stats.linregress(xs, ys)
    residuals = [b - line.intercept - line.slope * a for a, b in zip(xs, ys, strict=True)]
    n, mean = len(xs), sum(xs) / len(xs)
    spread = math.sqrt(sum(r * r for r in residuals) / (n - 2))
    away = (x[row] - mean) ** 2 / sum((a - mean) ** 2 for a in xs)
    expected = line.intercept + line.slope * x[row]
    return float((y[row] - expected) / (spread * math.sqrt(1 + 1 / n + away)))


def scaled(values: Sequence[float], top: int) -> list[float]:
    """Linearly to 1 ... top."""
    low, high = min(values), max(values)
    return [1 + (v - low) / (high - low) * (top - 1) for v in values]


def matches(hypothesis: Sequence[object], reference: Sequence[object], order: int) -> int:
    """Clipped matches of n-grams."""

    def grams(tokens: Sequence[object]) -> Counter[tuple[object, ...]]:
        return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))

    return sum((grams(hypothesis) & grams(reference)).values())
