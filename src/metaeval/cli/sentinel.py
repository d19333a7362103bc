"""``metaeval sentinel``: metrics that must not win, and the experiments with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar

if TYPE_CHECKING:
    from metaeval.evalset import EvalSet
    from metaeval.paired import Paired

sentinel = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Metrics that must not win, and what they show of a meta-evaluation.",
)

View: TypeAlias = Annotated[
    Literal["src", "ref", "cand"], typer.Option(help="What it sees: the source, the reference, the output.")
]
Added: TypeAlias = Annotated[
    str, typer.Option("--add", help="Sentinels to add, comma-separated; none for those in DATA alone.")
]
Train: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="DATA2", help="Train on these data. Default: out of fold on DATA.")
]
TRAINED = "SENTINEL_SRC,SENTINEL_REF,SENTINEL_CAND"


@sentinel.command("list")
def list_sentinels() -> None:
    """The sentinels there are."""
    from metaeval.probes.sentinel.base import declared
    from metaeval.report.text_table import Column, lay_out

    found = declared()
    typer.echo(lay_out([Column("sentinel", list(found)), Column("", [cls.about for cls in found.values()])]))


@sentinel.command()
def train(
    data: options.Data,
    out: Annotated[Path, typer.Option(metavar="FILE.npz", help="Where to save it.")],
    view: View = "src",
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
) -> None:
    """Train a sentinel on DATA (any data with human scores, raw MQM, or WMT's DA CSV) and save it."""
    from metaeval.probes.sentinel.da import is_da, read_da
    from metaeval.probes.sentinel.examples import examples_of
    from metaeval.probes.sentinel.ridge import Ridge

    if from_format is None and is_da(data):
        examples = read_da(data, view, pairs=None if pair is None else [pair])
    else:
        evalset = options.load(data, pair, from_format)
        examples = examples_of(evalset, view, human=human, reference=reference)
    Ridge.fit(examples).save(out)
    typer.echo(f"{out}: trained on {len(examples):,} texts ({view})")


@sentinel.command()
def score(
    data: options.Data,
    out: Annotated[Path, typer.Option(metavar="BUNDLE", help="Where to write DATA with its scores.")],
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="VIEW=FILE", help="A saved sentinel: src=src.npz. May be repeated."),
    ] = None,
    add: Added = TRAINED,
    train: Train = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    seed: options.Seed = 0,
) -> None:
    """Write DATA with sentinels among its metrics: saved ones, trained on DATA2, or cross-fitted."""
    from metaeval.io.bundle import write_bundle
    from metaeval.probes.sentinel.adding import with_saved

    evalset = options.load(data, pair, from_format)
    if model:
        saved = dict(options.name_and_value(text, "--model") for text in model)
        scored = with_saved(evalset, {view: Path(file) for view, file in saved.items()}, reference=reference)
    else:
        scored = _added(evalset, add, train, pair, human, reference, seed)
    write_bundle(scored, out)
    named = [key for key in scored.metrics if key not in evalset.metrics]
    typer.echo(f"{out}: added {', '.join(named) or 'nothing'}")


@sentinel.command()
def rank(
    data: options.Data,
    statistic: Annotated[
        list[str] | None, typer.Option("--statistic", help="Default: pearson and tau_b. May be repeated.")
    ] = None,
    add: Added = TRAINED,
    train: Train = None,
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

    evalset = _loaded(data, pair, from_format, systems, exclude, domain, metrics)
    paired = _paired(_added(evalset, add, train, pair, human, reference, seed), human, reference)
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

    evalset = _loaded(data, pair, from_format, systems, exclude, domain, metrics)
    evalset = _added(evalset, add, train, pair, human, reference, seed)
    paired = _paired(evalset, human, reference)
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

    evalset = _loaded(data, pair, from_format, systems, exclude, domain, metrics)
    paired = _paired(evalset, human, reference)
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

    evalset = _loaded(data, pair, from_format, systems, exclude, domain, metrics)
    if twin is not None:
        evalset = with_twins(evalset, twin, noise=noise, seed=seed)
    paired = _paired(evalset, human, reference)
    chosen = [parse_probabilities(text) for text in drop] if drop else PROBABILITIES
    with progress_bar() as progress:
        if held_out:
            rest = held_out_ties(paired, chosen, seeds=seeds, seed=seed, progress=progress)
            said = report.as_json(paired, held_out=rest) if as_json else report.held_out(paired, rest)
        else:
            found = tie_shares(paired, chosen, seeds=seeds, seed=seed, progress=progress)
            said = report.as_json(paired, shares=found) if as_json else report.shares(paired, found)
    typer.echo(said)


def _loaded(
    data: Path,
    pair: str | None,
    from_format: str | None,
    systems: str | None,
    exclude: str | None,
    domain: str | None,
    metrics: str | None,
) -> EvalSet:
    evalset = options.load(data, pair, from_format)
    return evalset.select(systems=systems, exclude=exclude, domain=domain, metrics=metrics)


def _added(
    evalset: EvalSet,
    names: str,
    train: Path | None,
    pair: str | None,
    human: str | None,
    reference: str | None,
    seed: int,
) -> EvalSet:
    from metaeval.probes.sentinel.adding import add

    if names.strip() in ("", "none"):
        return evalset
    training = None if train is None else options.load(train, pair, None)
    wanted = [name.strip() for name in names.split(",")]
    with progress_bar() as progress:
        added = add(
            evalset, wanted, train=training, human=human, reference=reference, seed=seed, progress=progress
        )
    for reason in added.left_out:
        typer.echo(f"metaeval: left out {reason}", err=True)
    return added.evalset


def _paired(evalset: EvalSet, human: str | None, reference: str | None) -> Paired:
    from metaeval.paired import pair_up

    return pair_up(evalset, human=human, reference=reference, missing="drop")
