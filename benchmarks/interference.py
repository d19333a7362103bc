"""What detection, correction and MBR decoding are worth, where the truth or the humans' word is known.

    python benchmarks/interference.py            a quarter of an hour on two cores
    python benchmarks/interference.py --quick    some seconds: few sets and trees
    python benchmarks/interference.py real       one part: levels, decoding, simulated, real

``levels``: how often clean simulated sets are flagged, and planted interference found. ``decoding``: MBR by
chrF and BLEU against sacrebleu called pair by pair. ``simulated``: a system reranked by a metric, or decoded
by chrF; who ranks it as the truth does. ``real``: the systems of WMT22 and WMT23 zh-en that metrics chose,
judged by humans, if METAEVAL_REAL_DATA is set.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from metaeval.evalset import EvalSet
from metaeval.io.registry import read
from metaeval.measures.base import system_means
from metaeval.probes.interference.adjust import mint_adjust
from metaeval.probes.interference.detect import detect
from metaeval.probes.interference.grid import grid
from metaeval.probes.interference.judge import judge, rank_of
from metaeval.probes.interference.mbr import decode, first_best
from metaeval.probes.interference.rivals import auto_rank, auto_rank_ins, meta_metrics
from metaeval.probes.interference.selection import best_by
from metaeval.scorers.run import score
from metaeval.scores import FloatArray, Scores
from metaeval.simulate import CLEAN, Candidates, Config, Simulation, candidates, simulate

FIVE = ("chrF-refA", "COMETKiwi-src", "BLEURT-20-refA", "metricx_xl_MQM_2020-refA", "UniTE-ref-refA")
CHOSEN = ("bleu_bestmbr", "bleurt_bestmbr", "chrf_bestmbr", "comet_bestmbr")
TRAINING = (
    *("AISP-SJTU", "HuaweiTSC", "JDExploreAcademy", "Lan-Bridge", "LanguageX", "M2M100_1.2B-B4"),
    *("Online-A", "Online-B", "Online-G", "Online-W", "Online-Y"),
)


def share(hits: int, total: int) -> str:
    """A share with its 95% Wilson interval."""
    found = binomtest(hits, total).proportion_ci(method="wilson")
    return f"{hits} of {total} ({found.low:.1%} to {found.high:.1%})"


SIZES = (0.5, 1.0, 1.25, 1.5)
"""Of planted interference, in residual standard deviations of the metric; 1 is the default."""


def levels(sets: int) -> None:
    """Clean sets flagged, and planted gaming found, by its size."""
    print("== levels: blind detection on simulated sets (12 systems, 400 items), Holm, 5%")
    flagged = sum(bool(detect(simulate(CLEAN, seed=s, text=False).evalset).suspects) for s in range(sets))
    print(f"  clean sets flagged           {share(flagged, sets)}")
    for size in SIZES:
        planted_of_size(size, sets)


def planted_of_size(size: float, sets: int) -> None:
    """How often the planted pair comes first, is a suspect, and another pair is one."""
    first = found = wrong = 0
    seen = []
    for seed in range(sets):
        simulation = simulate(seed=seed, text=False, gaming=size)
        planted = simulation.truth.gamed
        if planted is None:
            raise RuntimeError("the default set plants no interference")
        detection = detect(simulation.evalset)
        truth = (planted.metric, planted.system)
        suspects = [(pair.metric, pair.system) for pair in detection.suspects]
        best = detection.pairs[0]
        first, found = first + ((best.metric, best.system) == truth), found + (truth in suspects)
        wrong += any(pair != truth for pair in suspects)
        seen += [pair.size for pair in detection.pairs if (pair.metric, pair.system) == truth]
    print(f"  planted, {size:g} residual sd (seen as {np.median(seen):.2f} sd within items)")
    print(f"    comes first                {share(first, sets)}")
    print(f"    is a suspect               {share(found, sets)}")
    print(f"    another pair is a suspect  {share(wrong, sets)}")


def decoding(pools: int) -> None:
    """The same choice as pair by pair, and how much faster: processor time, as others may be at work."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    print(f"== decoding: {pools} pools of 20 candidates, {CLEAN.words:g} words in the median")
    texts = candidates(simulate(CLEAN, systems=2, items=pools, seed=0), "Alder", count=20).texts
    for name, metric in (("chrF", CHRF()), ("BLEU", BLEU(effective_order=True))):
        decode([column[:2] for column in texts], name)
        begun = time.process_time()
        found = decode(texts, name)
        ours = time.process_time() - begun
        begun = time.process_time()
        expected = pair_by_pair(metric.sentence_score, texts)
        theirs = time.process_time() - begun
        same = sum(
            first_best(column) == c for column, c in zip(expected.T, found.choice.tolist(), strict=True)
        )
        off = float(np.abs(expected - found.utility).max())
        print(
            f"  {name}: {ours:.2f} s, sacrebleu pair by pair {theirs:.1f} s, {theirs / ours:.0f} times;"
            f" same choice in {same} of {pools}; utilities within {off:.1g}"
        )


def pair_by_pair(score_of: Callable[..., Any], texts: Sequence[Sequence[str | None]]) -> FloatArray:
    """Expected utilities, a call for every pair."""
    table = np.empty((len(texts), len(texts[0])))
    for item in range(len(texts[0])):
        pool = [str(column[item]) for column in texts]
        for number, text in enumerate(pool):
            scores = [float(score_of(text, [other]).score) for other in pool]
            table[number, item] = sum(scores) / len(scores)
    return table


def simulated(sets: int, trees: int) -> None:
    """Who ranks a system that a metric chose as the truth does."""
    for label, metric, choose, config in (
        ("reranked by Neural, sound metrics", "Neural-refA", by_neural, CLEAN),
        ("reranked by Neural, some metrics faulty", "Neural-refA", by_neural, Config(gamed=False)),
        ("MBR by chrF, sound metrics", "chrF-refA", by_chrf, CLEAN),
    ):
        print(f"== simulated: {label}; {sets} sets, 12 systems, 200 items, 8 candidates, {trees} trees")
        outcomes: dict[str, list[tuple[bool, float]]] = {}
        shifts = []
        for seed in range(sets):
            simulation = simulate(config, seed=seed, items=200, text=metric.startswith("chrF"))
            data, quality, shift = choose(simulation)
            shifts.append(shift)
            for name, scores in judges(data, metric, trees).items():
                means = system_means(scores)
                row = len(quality) - 1
                pairs = np.sign(means[row] - means[:row]) == np.sign(quality[row] - quality[:row])
                right = rank_of(means, row) == rank_of(quality, row)
                outcomes.setdefault(name, []).append((right, float(pairs.mean())))
        gained = np.array(shifts)
        print(f"  gained, in sd of an item's candidates: metric {gained[:, 0].mean():+.2f}, quality "
              f"{gained[:, 1].mean():+.2f}")  # fmt: skip
        adjusted = np.array([pairs for _, pairs in outcomes["MINTADJUST"]])
        for name, found in outcomes.items():
            exactly = sum(exact for exact, _ in found)
            values = np.array([pairs for _, pairs in found])
            line = f"  {name:<14} true rank {share(exactly, sets):<28} pairs right {mean(values)}"
            print(
                line + ("" if name == "MINTADJUST" else f"   MINTADJUST better by {mean(adjusted - values)}")
            )


def mean(values: FloatArray) -> str:
    half = 1.96 * float(values.std(ddof=1)) / np.sqrt(len(values))
    return f"{values.mean():.3f} ± {half:.3f}"


def judges(data: EvalSet, metric: str, trees: int) -> dict[str, FloatArray]:
    others = [key for key in data.metrics if key != metric]
    found = mint_adjust(data, metric, suspects=data.systems[-1], features=others, trees=trees)
    made = {
        "the metric": data.metrics[metric],
        "MINTADJUST": found.adjusted,
        "AUTORANK": auto_rank(data, others),
        "AUTORANK-Ins": auto_rank_ins(data, others),
    }
    return {name: scores.segment for name, scores in made.items() if scores.segment is not None}


def drawn(simulation: Simulation) -> Candidates:
    """Candidates of a weak system: what choosing among them gains does not take it to the top."""
    weak = simulation.systems[int(np.argsort(simulation.truth.system_quality)[1])]
    return candidates(simulation, weak, count=8)


def by_neural(simulation: Simulation) -> tuple[EvalSet, FloatArray, tuple[float, float]]:
    pool = drawn(simulation)
    choice = best_by(pool.scores["Neural-refA"])
    return added(simulation, pool, choice.tolist(), pool.scores["Neural-refA"])


def by_chrf(simulation: Simulation) -> tuple[EvalSet, FloatArray, tuple[float, float]]:
    pool = drawn(simulation)
    found = decode(pool.texts, "chrF")
    data, quality, shift = added(simulation, pool, found.choice.tolist(), found.utility)
    return score(data, ["chrF"]), quality, shift


def added(
    simulation: Simulation, pool: Candidates, choice: list[int], seen: FloatArray
) -> tuple[EvalSet, FloatArray, tuple[float, float]]:
    """The set with the chosen outputs as its last system, true qualities, and what was gained."""
    items = np.arange(len(choice))

    def gain(scores: FloatArray) -> float:
        return float((scores[choice, items] - scores.mean(axis=0)).mean() / scores.std(axis=0).mean())

    quality = np.append(simulation.truth.quality.mean(axis=1), pool.quality[choice, items].mean())
    return pool.add_to(simulation.evalset, choice, "chosen"), quality, (gain(seen), gain(pool.quality))


def real(trees: int, jobs: int, quick: bool) -> None:
    """The published systems that metrics chose, before and after; quickly, without the slow rivals."""
    root = Path(os.environ.get("METAEVAL_REAL_DATA", "../shared/data"))
    if not root.exists():
        print(f"== real: left out, there is no {root} (METAEVAL_REAL_DATA)")
        return
    wmt22, wmt23 = read(root / "wmt22", pair="zh-en"), read(root / "wmt23", pair="zh-en")
    others = [s for s in wmt23.systems if s not in ("NLLB_MBR_BLEU", "refA", "synthetic_ref")]
    plans = (
        (wmt22, wmt23, "COMET-20-refA", "comet_bestmbr", FIVE, TRAINING),
        (wmt22, wmt23, "BLEURT-20-refA", "bleurt_bestmbr", (*FIVE[:2], "COMET-20-refA", *FIVE[3:]), TRAINING),
        (wmt22, wmt23, "BLEU-refA", "bleu_bestmbr", FIVE, TRAINING),
        (wmt23, wmt22, "BLEU-refA", "NLLB_MBR_BLEU", ("chrF-refA", "BLEURT-20-refA", "COMET-refA",
         "CometKiwi-src", "MetricX-23-refA"), others),
    )  # fmt: skip
    regressors = ("linear",) if quick else ("forest", "gp")
    for data, other, metric, system, features, training in plans:
        begun = time.process_time(), time.perf_counter()
        found = mint_adjust(data, metric, training=training, features=features, trees=trees, jobs=jobs)
        spent = time.process_time() - begun[0], time.perf_counter() - begun[1]
        renamed = {m.name.lower(): m for m in other.metrics.values() if m.reference in ("refA", "src")}
        known = [f for f in features if data.metrics[f].name.lower() in renamed]
        alias = [
            Scores(data.metrics[f].name, m.reference, m.segment)
            for f in known
            for m in [renamed[data.metrics[f].name.lower()]]
        ]
        rated = replace(other, metrics={m.key: m for m in alias})
        made: list[str | Scores] = [
            metric,
            found.adjusted,
            auto_rank(data, features),
            auto_rank_ins(data, features),
        ]
        made += [meta_metrics(data, rated, known, regressor=r, trees=trees) for r in regressors]
        table = judge(data, system, [*made, *features])
        print(
            f"== real: {data.name} {metric}, {system}: humans rank it {table.human_rank} of {table.systems}; "
            f"{found.segments:,} segments, {trees} trees: {spent[1]:.1f} s, {spent[0]:.1f} s of processor"
        )
        print(f"  METAMETRICS is trained on {other.name} with {', '.join(known)}")
        for v in table.verdicts:
            print(f"  {v.metric:<28} rank {v.rank:>2}  SPA {v.spa:.4f}  Ins-PA {v.ins_pa:.4f}")
        importances = found.importances or {}
        print("  importance: " + ", ".join(f"{k} {v:.3f}" for k, v in importances.items()))
        print("  outside: " + ", ".join(f"{o.system} {o.share:.1%}" for o in found.outside[:5]))
    if not quick:
        table_6(wmt22, max(10, trees // 10), jobs)


def table_6(wmt22: EvalSet, trees: int, jobs: int) -> None:
    print(f"== real: wmt22 COMET-20, comet_bestmbr: feature sets by training systems, {trees} trees")
    lexical = ["BLEU", "chrF", "f101spBLEU", "f200spBLEU"]
    neural = ["BLEURT-20", "metricx_xl_MQM_2020", "UniTE-ref", "MS-COMET-22", "BERTScore", "YiSi-1"]
    qe = ["COMETKiwi", "COMET-QE", "MS-COMET-QE-22", "UniTE-src", "REUSE"]
    features = {
        "the five": list(FIVE), "all": lexical + neural + qe, "QE only": qe, "REF only": lexical + neural,
        "neural only": neural + qe, "lexical only": lexical,
    }  # fmt: skip
    training = {"Lan-Bridge": ["Lan-Bridge"], "Online-*": ["Online-*"], "all free": list(TRAINING)}
    for cell in grid(
        wmt22, "COMET-20", "comet_bestmbr", features, training, reference="refA", trees=trees, jobs=jobs
    ):
        label = f"{cell.features:<13} {cell.method} {cell.training or ''}"
        print(f"  {label:<38} rank {cell.rank:>2}  SPA {cell.spa:.4f}  Ins-PA {cell.ins_pa:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", default=[], help="levels, decoding, simulated, real")
    parser.add_argument("--quick", action="store_true", help="few sets and trees")
    parser.add_argument("--jobs", type=int, default=2, help="threads of a forest")
    given = parser.parse_args()
    parts = {
        "levels": lambda: levels(20 if given.quick else 200),
        "decoding": lambda: decoding(10 if given.quick else 200),
        "simulated": lambda: simulated(5 if given.quick else 100, 20 if given.quick else 100),
        "real": lambda: real(10 if given.quick else 1000, given.jobs, given.quick),
    }
    for name in given.parts or parts:
        if name not in parts:
            parser.error(f"there is no part {name!r}: {', '.join(parts)}")
        parts[name]()


if __name__ == "__main__":
    main()
