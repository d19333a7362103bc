"""True corpus scores instead of means: which metrics have them, and how metrics exchange items.

Thompson et al. 2024 admit the limitation: with segment scores alone, BLEU's system score is a mean of
sentence BLEUs. Metrics that keep sufficient statistics have the true score of any cells.

*Values* and the inner tests of ``spa`` are exact: outputs are exchanged between systems, and both corpora
are scored anew. *Between two metrics* there is nothing to exchange exactly: n-gram counts plus counts of
edits are a statistic of nothing. What can be exchanged is what an item contributes to its system's score
(:func:`metaeval.kernels.corpus.contributions`): the mean is the corpus score, so that a metric which gives
nothing away keeps its true score; of a mean they are the segment scores, so that metrics of both kinds can be
tested against each other; and they are put on one scale as segment scores are. Intervals of correlations
and of ``pa`` resample the sums, exactly; those of ``spa`` resample contributions, since the inner tests of
every sample would score millions of corpora.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.measures.base import Measure
from metaeval.paired import Paired
from metaeval.scorers.corpus import corpus_sums
from metaeval.significance.plan import Plan


def with_corpus_scores(paired: Paired, evalset: EvalSet) -> Paired:
    """The same cells, with the sums of every metric that has statistics. O(cells F).

    Args:
        paired: cells of ``evalset``.
    """
    at_system = {system: i for i, system in enumerate(evalset.systems)}
    at_item = {item: i for i, item in enumerate(evalset.items)}
    systems = np.array([at_system[system] for system in paired.systems], dtype=np.intp)
    items = np.array([at_item[item] for item in paired.items], dtype=np.intp)
    used = ~np.isnan(paired.human)
    corpora = {
        metric.key: corpus_sums(metric.corpus.take(systems, items), used, metric.key)
        for metric in paired.metrics
        if metric.corpus is not None
    }
    if not corpora:
        raise InputError(
            "no metric has statistics that a corpus score could be made of",
            remedy="Make them: metaeval score DATA -s BLEU --out NEW; or use --system-scores mean.",
        )
    return replace(paired, corpora=corpora)


def exchangeable(paired: Paired, measure: Measure) -> Paired:
    """What tests and intervals draw from: for measures of systems, contributions in place of scores."""
    if not paired.corpora or measure.level != "system":
        return paired
    scores = paired.scores.copy()
    for m, key in enumerate(paired.keys):
        if key in paired.corpora:
            scores[m] = paired.corpora[key].contributions()
    return replace(paired, scores=scores)


def said_of(paired: Paired, measures: Sequence[Measure], plan: Plan) -> list[str]:
    """Which system scores are what, for a board of these measures."""
    if all(measure.level != "system" for measure in measures):
        return ["--system-scores corpus changes nothing: no measure here reads system scores"]
    means = [key for key in paired.keys if key not in paired.corpora]
    said = "system scores are true corpus scores of " + ", ".join(paired.corpora)
    notes = [said + (f"; means of {', '.join(means)}" if means else "")]
    if (plan.test, plan.bootstrap) != ("none", "none"):
        notes.append(
            "tests between metrics exchange what items contribute to a corpus score, which is right to first "
            "order (docs/corpus.md)"
        )
    return notes
