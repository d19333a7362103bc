"""From data, a task and names to a study: what ``metaeval local`` calls, and what scripts may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import metaeval
from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.names import Patterns, matching
from metaeval.paired import choose_reference, usable_with
from metaeval.perturb.base import AnyPerturbation, Perturbation, Task
from metaeval.perturb.item_swapping import ItemSwapping
from metaeval.perturb.llm import LanguageModel
from metaeval.perturb.registry import of_task, parse_task
from metaeval.probes.local.contexts import BINS, find_contexts
from metaeval.probes.local.defaults import default_scorers
from metaeval.probes.local.lists import list_pairs
from metaeval.probes.local.pairs import Pairs
from metaeval.probes.local.people import people_pairs
from metaeval.probes.local.recommend import COST
from metaeval.probes.local.study import LocalStudy, study
from metaeval.probes.local.texts import DRAWS, Applied, text_pairs
from metaeval.probes.local.weights import weighted
from metaeval.rankings import Rankings
from metaeval.scorers.base import AnyScorer, Scorer
from metaeval.scorers.ranking import RankingScorer
from metaeval.scorers.registry import parse_scorer
from metaeval.scorers.run import Workshop


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one may choose, with the paper's choices as defaults."""

    perturbations: Sequence[str] | None = None
    contexts: Sequence[str] = ()
    bins: int = BINS
    draws: int = DRAWS
    seed: int = 0
    alpha: float = 0.05
    language: str | None = None
    reference: str | None = None
    weight: str | None = None
    """A column that says how much each output counts within its input."""
    systems: Patterns | None = None
    workshop: Workshop | None = None


def local_accuracy(
    data: EvalSet | Rankings,
    task: str,
    scorers: Sequence[str | AnyScorer] | None = None,
    settings: Settings | None = None,
) -> LocalStudy:
    """The study of damaged outputs: which scorer sees the damage, and where.

    Args:
        data: outputs with references, or rankings with judgments.
        task: ``mt``, ``asr`` or ``ranking``.
        scorers: scorers or their names; by default those of the paper that need no model.
        settings: everything else.
    """
    chosen = settings or Settings()
    perturbations = of_task(task, chosen.perturbations)
    if isinstance(data, Rankings) != (task == "ranking"):
        held = "rankings" if isinstance(data, Rankings) else "texts"
        raise InputError(
            f"the data are {held}, the task is {task}",
            remedy="Use --task ranking for runs with qrels, --task mt or asr for texts.",
        )
    contexts = find_contexts(data, chosen.contexts, bins=chosen.bins)
    named = [parse_scorer(s) if isinstance(s, str) else s for s in scorers or ()]
    given = list(dict.fromkeys(named)) or default_scorers(data, task, chosen.reference)
    judged = _judged(data, parse_task(task), given, perturbations, chosen)
    signature = {
        "version": metaeval.__version__,
        "task": task,
        **judged.signature,
        "draws": chosen.draws,
        "seed": chosen.seed,
        "alpha": chosen.alpha,
        "weight": chosen.weight,
        "scorers": [scorer.signature for scorer in given],
        "perturbations": [p.signature if isinstance(p, LanguageModel) else str(p) for p in perturbations],
    }
    return study(
        _weighted(judged.pairs, data, chosen),
        contexts,
        costs={str(scorer): COST[scorer.cost] for scorer in given},
        applied=judged.applied,
        signature=signature,
        notes=judged.notes,
        seed=chosen.seed,
        alpha=chosen.alpha,
    )


class _Judged(NamedTuple):
    pairs: Pairs
    applied: tuple[Applied, ...]
    signature: dict[str, object]
    notes: tuple[str, ...] = ()


def _judged(
    data: EvalSet | Rankings,
    task: Task,
    scorers: Sequence[AnyScorer],
    perturbations: Sequence[AnyPerturbation],
    chosen: Settings,
) -> _Judged:
    shop = chosen.workshop or Workshop()
    if isinstance(data, Rankings):
        return _judged_lists(data, scorers, perturbations, chosen, shop)
    for misfit in (s for s in scorers if not isinstance(s, Scorer)):
        raise _misfit(misfit, "rankings, and the data are texts")
    made = text_pairs(
        data,
        [s for s in scorers if isinstance(s, Scorer)],
        [p for p in perturbations if isinstance(p, Perturbation)],
        reference=chosen.reference,
        systems=chosen.systems,
        language=chosen.language,
        task=task,
        draws=chosen.draws,
        seed=chosen.seed,
        workshop=shop,
    )
    about = {"data": data.digest[:8], "reference": made.reference, "lexicon": made.lexicon.signature}
    return _Judged(made.pairs, made.applied, about | _sizes(made.pairs), made.notes)


def _judged_lists(
    data: Rankings,
    scorers: Sequence[AnyScorer],
    perturbations: Sequence[AnyPerturbation],
    chosen: Settings,
    shop: Workshop,
) -> _Judged:
    for misfit in (s for s in scorers if not isinstance(s, RankingScorer)):
        raise _misfit(misfit, "texts, and the data are rankings")
    swapping, *more = (p for p in perturbations if isinstance(p, ItemSwapping))
    if more:
        raise InputError(
            f"lists are damaged in one way at a time, found {swapping} and {more[0]}",
            remedy="Run once for each.",
        )
    for option, given in (("reference", chosen.reference), ("language", chosen.language)):
        if given is not None:
            raise InputError(f"rankings have no {option}", remedy=f"Leave --{option} out.")
    pairs = list_pairs(
        data,
        [s for s in scorers if isinstance(s, RankingScorer)],
        swapping,
        runs=chosen.systems,
        draws=chosen.draws,
        seed=chosen.seed,
        jobs=shop.jobs,
        progress=shop.progress,
    )
    runs = data.runs if chosen.systems is None else matching(chosen.systems, data.runs, "run")
    lists = sum(ranked is not None for run in runs for ranked in data.lists[run])
    applied = Applied(str(swapping), lists * chosen.draws, len(pairs) + pairs.dropped)
    return _Judged(pairs, (applied,), {"data": data.name} | _sizes(pairs))


def _weighted(pairs: Pairs, data: EvalSet | Rankings, chosen: Settings) -> Pairs:
    return pairs if chosen.weight is None else weighted(pairs, data, chosen.weight)


def _sizes(pairs: Pairs) -> dict[str, object]:
    return {"systems": len(np.unique(pairs.system)), "items": len(np.unique(pairs.unit))}


def human_accuracy(
    data: EvalSet, human: str, *, metrics: Patterns | None = None, settings: Settings | None = None
) -> LocalStudy:
    """The same study of pairs that people ordered; also of a table of preferences (``preference``)."""
    chosen = settings or Settings()
    contexts = find_contexts(data, chosen.contexts, bins=chosen.bins)
    compared = data.select(metrics=metrics)
    reference = choose_reference(compared, chosen.reference)
    pairs = people_pairs(data, human, metrics=metrics, systems=chosen.systems, reference=reference)
    others = sum(not usable_with(scores, reference) for scores in compared.metrics.values())
    shown = {
        "version": metaeval.__version__,
        "task": f"pairs ordered by {human}",
        "data": data.digest[:8],
        "reference": reference,
        **_sizes(pairs),
        "seed": chosen.seed,
        "alpha": chosen.alpha,
        "weight": chosen.weight,
    }
    return study(
        _weighted(pairs, data, chosen),
        contexts,
        signature=shown,
        notes=[f"{others} metrics are left out: they used another reference than {reference}"] * bool(others),
        seed=chosen.seed,
        alpha=chosen.alpha,
    )


def _misfit(scorer: AnyScorer, what: str) -> InputError:
    return InputError(f"{scorer.name} scores {what}", remedy="Choose another: metaeval scorers")
