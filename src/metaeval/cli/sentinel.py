"""``metaeval sentinel``: metrics that must not win, and the experiments with them."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from metaeval.cli import options, sentinel_training
from metaeval.cli.progress import progress_bar
from metaeval.cli.sentinel_data import (
    TRAINED,
    Added,
    Train,
    TrainPair,
    View,
    loaded,
    paired_of,
    training_data,
    with_sentinels,
)

sentinel = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Metrics that must not win, and what they show of a meta-evaluation.",
)
sentinel.command("list")(sentinel_training.list_sentinels)
sentinel.command("train")(sentinel_training.train)
sentinel.command("score")(sentinel_training.score)


@sentinel.command()
def rank(
    data: options.Data,
    statistic: Annotated[
        list[str] | None, typer.Option("--statistic", help="Default: pearson and tau_b. May be repeated.")
    ] = None,
    add: Added = TRAINED,
    train: Train = None,
    train_pair: TrainPair = None,
    test: Annotated[
        Literal["none", "perm-inputs", "perm-both"], typer.Option(help="Test behind the clusters.")
    ] = "none",
    draws: Annotated[int, typer.Option(min=1, help="Permutations.")] = 1000,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    metrics: options.Metrics = None,
    systems: options.Systems = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Rank metrics and sentinels without grouping, by item and by system."""
    from metaeval.probes.sentinel.groupings import by_grouping
    from metaeval.report import sentinel as report
    from metaeval.significance.plan import Plan

    evalset = loaded(data, pair, from_format, systems, exclude, domain, metrics)
    other = training_data(train, pair, train_pair)
    evalset = with_sentinels(evalset, add, other, human, reference, seed).evalset
    paired = paired_of(evalset, human, reference)
    plan = Plan(test=test, draws=draws, seed=seed, bootstrap="none")
    with progress_bar() as progress:
        tables = by_grouping(paired, statistic or ("pearson", "tau_b"), plan=plan, progress=progress)
    answer = report.plain_tables(tables)
    typer.echo(report.as_json(paired, tables=answer) if as_json else report.groupings(paired, tables))


@sentinel.command("correlations")
def correlations_of(
    data: options.Data,
    rated: Annotated[bool, typer.Option("--rated", help="Only cells with a human score.")] = False,
    add: Added = TRAINED,
    train: Train = None,
    train_pair: TrainPair = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    metrics: options.Metrics = None,
    systems: options.Systems = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """How metrics correlate with sentinels, with the humans and with each other."""
    from metaeval.probes.sentinel.correlations import correlations
    from metaeval.report import sentinel as report

    evalset = loaded(data, pair, from_format, systems, exclude, domain, metrics)
    other = training_data(train, pair, train_pair)
    evalset = with_sentinels(evalset, add, other, human, reference, seed).evalset
    paired = paired_of(evalset, human, reference)
    found = correlations(evalset, paired, rated_only=rated)
    typer.echo(report.as_json(paired, correlations=found) if as_json else report.matrix(paired, found))


@sentinel.command()
def length(
    data: options.Data,
    view: View = "cand",
    by_word: Annotated[bool, typer.Option("--words", help="Count words, not characters.")] = False,
    by_item: Annotated[bool, typer.Option("--by-item", help="Compare outputs of one item only.")] = False,
    draws: Annotated[int, typer.Option(min=1, help="Bootstrap samples.")] = 1000,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of the intervals.")] = 0.05,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    metrics: options.Metrics = None,
    systems: options.Systems = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """How scores change with length, metrics beside the humans."""
    from metaeval.probes.sentinel.lengths import length_bias
    from metaeval.report import sentinel as report

    evalset = loaded(data, pair, from_format, systems, exclude, domain, metrics)
    paired = paired_of(evalset, human, reference)
    found = length_bias(
        evalset,
        paired,
        view=view,
        by_word=by_word,
        grouping="item" if by_item else "none",
        draws=draws,
        alpha=alpha,
        seed=seed,
    )
    typer.echo(report.as_json(paired, length=found) if as_json else report.lengths(paired, found))


@sentinel.command()
def ties(
    data: options.Data,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Calibrate on a fifth of the items with sub-sampled ties.")
    ] = False,
    twin: Annotated[
        str | None, typer.Option(metavar="METRICS", help="Add noisy twins of these, by name or glob.")
    ] = None,
    noise: Annotated[
        Literal["gaussian", "ordered"],
        typer.Option(help="Of the twins: variance 1e-4, or within half the smallest gap."),
    ] = "gaussian",
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="P_T,P_N", help="Remove tied and other pairs so often. May be repeated."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Samples of pairs.")] = 5,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    metrics: options.Metrics = None,
    systems: options.Systems = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """acc_eq and epsilon as the share of human ties changes. For the shares: metaeval ties --statistics."""
    from metaeval.probes.sentinel.heldout_ties import held_out_ties
    from metaeval.probes.sentinel.perturbed import with_twins
    from metaeval.probes.sentinel.subsampling import PROBABILITIES, parse_probabilities, tie_shares
    from metaeval.report import sentinel as report

    evalset = loaded(data, pair, from_format, systems, exclude, domain, metrics)
    if twin is not None:
        evalset = with_twins(evalset, twin, noise=noise, seed=seed)
    paired = paired_of(evalset, human, reference)
    chosen = [parse_probabilities(text) for text in drop] if drop else PROBABILITIES
    with progress_bar() as progress:
        if held_out:
            rest = held_out_ties(paired, chosen, seeds=seeds, seed=seed, progress=progress)
            said = report.as_json(paired, held_out=rest) if as_json else report.held_out(paired, rest)
        else:
            found = tie_shares(paired, chosen, seeds=seeds, seed=seed, progress=progress)
            said = report.as_json(paired, shares=found) if as_json else report.shares(paired, found)
    typer.echo(said)
