"""Does a metric lean on length more than the humans do?"""

from __future__ import annotations

from collections.abc import Iterator

from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import Finding, check
from metaeval.probes.sentinel.base import is_sentinel
from metaeval.probes.sentinel.lengths import LengthBias, MetricSlope, length_bias

LEAST = 0.1
"""Standard deviations of score for one of length, beyond the humans' own or against it: what counts."""
SERIOUS = 0.2
NAMED = 5


@check("length", "metrics whose scores follow length more than the humans' do")
def length(evidence: Evidence) -> Iterator[Finding]:
    """Where the excess is at least ``LEAST`` and its interval, corrected for the metrics, excludes 0."""
    bias = length_bias(
        evidence.evalset,
        evidence.paired,
        draws=evidence.draws,
        alpha=evidence.alpha / max(1, len(evidence.metrics)),
        seed=evidence.seed,
    )
    steep = [m for m in bias.metrics if not is_sentinel(m.metric) and m.excess >= LEAST and m.excess_low > 0]
    for likes in ("longer", "shorter"):
        found = [m for m in steep if (m.slope.standard > 0) == (likes == "longer")]
        if found:
            yield _finding(bias, likes, found)


def _finding(bias: LengthBias, likes: str, found: list[MetricSlope]) -> Finding:
    worst = found[0]
    others = ", ".join(m.metric.name for m in found[1:NAMED]) + (" and more" if len(found) > NAMED else "")
    return Finding(
        check="length",
        severity="serious" if worst.excess >= SERIOUS else "warning",
        sentence=(
            f"{worst.metric.name} favours {likes} outputs more than the humans do: slope "
            f"{worst.slope.standard:+.3f} against {bias.human.standard:+.3f}, in standard deviations of "
            f"score for one of length (excess {worst.excess_low:.3f} to {worst.excess_high:.3f})"
            + (f"; so {'do' if len(found) > 2 else 'does'} {others}" if others else "")
        ),
        remedy="compare by item, and look at outputs of unusual length: metaeval sentinel length",
        size=worst.excess,
        numbers={
            "metric": worst.metric.key,
            "human_slope": bias.human.standard,
            "metrics": [
                {
                    "metric": m.metric.key,
                    "slope": m.slope.standard,
                    "excess": m.excess,
                    "excess_low": m.excess_low,
                    "excess_high": m.excess_high,
                }
                for m in found
            ],
        },
    )
