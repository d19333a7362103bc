"""Did a metric choose the outputs that it now judges?"""

from __future__ import annotations

from collections.abc import Iterator

from metaeval.errors import MetaevalError
from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import CannotTell, Finding, check
from metaeval.probes.interference.detect import detect


@check("interference", "metrics that like a system beyond what the other metrics explain")
def interference(evidence: Evidence) -> Iterator[Finding]:
    """Blind detection among the real metrics; reads no human score."""
    keys = [metric.key for metric in evidence.metrics]
    try:
        found = detect(
            evidence.evalset, metrics=keys, reference=evidence.paired.reference, alpha=evidence.alpha
        )
    except MetaevalError as error:
        raise CannotTell(str(error).partition("\n")[0]) from error
    for suspicion in found.suspects:
        yield Finding(
            check="interference",
            severity="warning",
            sentence=(
                f"{suspicion.metric} likes {suspicion.system} more than the other metrics explain: "
                f"{suspicion.size:+.2f} standard deviations, p {suspicion.p_corrected:.2g} (Holm)"
            ),
            remedy="it may have chosen its outputs: see metaeval interference, and correct the metric with "
            f"metaeval adjust DATA --metric {suspicion.metric} --systems {suspicion.system}",
            size=suspicion.size,
            numbers={"metric": suspicion.metric, "system": suspicion.system, "bias": suspicion.bias},
        )
