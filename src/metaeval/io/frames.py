"""Tables in memory: polars and pandas frames, dicts of columns, lists of rows; and an EvalSet as a table.

pandas is neither needed nor imported: its frames are asked for their columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metaeval.errors import InputError
from metaeval.evalset import EvalSet, Texts
from metaeval.io.columns import ALIASES, PREFIXES, fold
from metaeval.io.pairs import pairs_evalset
from metaeval.io.table import ROLES, long_evalset
from metaeval.io.tablefile import as_text
from metaeval.io.tabular import Table
from metaeval.io.wide import wide_evalset

if TYPE_CHECKING:
    import polars as pl

Frame: TypeAlias = Any
"""A polars or pandas frame, a mapping from names to columns, or a sequence of mappings (rows)."""


def from_long(frame: Frame, *, name: str = "", pair: str | None = None) -> EvalSet:
    """The EvalSet of a long table in memory; see :mod:`metaeval.io.table` for its columns.

    >>> from_long({"system": ["A", "A"], "item": [1, 1], "scorer": ["mqm", "BLEU"], "score": [-1, 30.5]})
    <EvalSet: 1 systems, 1 items, human: mqm, 1 metrics>
    """
    return long_evalset(as_table(frame), name=name, pair=pair)


def from_wide(frame: Frame, *, name: str = "", pair: str | None = None) -> EvalSet:
    """The EvalSet of a wide table in memory; see :mod:`metaeval.io.wide` for its columns.

    >>> from_wide([{"system": "A", "item": "1", "mqm": -1, "BLEU": 30.5}]).metrics["BLEU"].segment
    array([[30.5]])
    """
    return wide_evalset(as_table(frame), name=name, pair=pair)


def from_pairs(frame: Frame, *, name: str = "", pair: str | None = None) -> EvalSet:
    """The EvalSet of preference pairs in memory; see :mod:`metaeval.io.pairs` for their columns.

    >>> from_pairs([{"item": "1", "winner": "a", "BLEU_a": 30, "BLEU_b": 20}]).human["preference"].segment
    array([[1.], [0.]])
    """
    return pairs_evalset(as_table(frame), name=name, pair=pair)


def from_dict(
    human: Mapping[str, Mapping[str, Mapping[str, float | None]]],
    metrics: Mapping[str, Mapping[str, Mapping[str, float | None]]],
    *,
    name: str = "",
    pair: str | None = None,
) -> EvalSet:
    """The EvalSet of nested dicts: scorer -> system -> item -> score (None where missing).

    >>> from_dict({"mqm": {"A": {"1": -1.0}}}, {"COMET@refA": {"A": {"1": 0.8}}})
    <EvalSet: 1 systems, 1 items, human: mqm, 1 metrics>
    """
    rows = [
        (system, item, f"{kind}:{scorer}", score)
        for kind, scorers in (("human", human), ("metric", metrics))
        for scorer, systems in scorers.items()
        for system, items in systems.items()
        for item, score in items.items()
    ]
    columns = zip(*rows, strict=True) if rows else ((), (), (), ())
    named = dict(zip(("system", "item", "scorer", "score"), map(list, columns), strict=True))
    return from_long(named, name=name, pair=pair)


def as_table(frame: Frame) -> Table:
    """Any supported frame as a checked table."""
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, pl.DataFrame):
        columns = _columns(frame)
        lengths = {name: len(values) for name, values in columns.items()}
        if len(set(lengths.values())) > 1:
            found = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
            raise InputError(f"the columns differ in length: {found}")
        frame = pl.DataFrame([_series(name, values) for name, values in columns.items()])
    if not frame.height:
        raise InputError("the table holds no rows", remedy="Expected a row for each score.")
    return Table(frame)


def _columns(frame: Frame) -> dict[str, Sequence[object]]:
    if isinstance(frame, Mapping):
        return _named((str(name), _listed(values, str(name))) for name, values in frame.items())
    if hasattr(frame, "columns") and hasattr(frame, "notna"):
        missing = ~frame.notna()
        listed = frame.astype(object).mask(missing, None)
        names = [str(name) for name in frame.columns]
        return _named((name, listed.iloc[:, i].tolist()) for i, name in enumerate(names))
    if isinstance(frame, Sequence) and not isinstance(frame, str | bytes):
        for number, row in enumerate(frame, start=1):
            if not isinstance(row, Mapping):
                raise InputError(f"found a {type(row).__name__}, expected a dict", row=number)
        names = list(dict.fromkeys(str(name) for row in frame for name in row))
        return {name: [row.get(name) for row in frame] for name in names}
    raise InputError(
        f"found a {type(frame).__name__}, expected a table",
        remedy="Give a polars or pandas frame, a dict of columns, or a list of dicts.",
    )


def _named(columns: Iterable[tuple[str, Sequence[object]]]) -> dict[str, Sequence[object]]:
    found: dict[str, Sequence[object]] = {}
    for name, values in columns:
        if name in found:
            raise InputError(f"two columns are called {name!r}", remedy="Rename one.")
        found[name] = values
    return found


def _listed(values: object, name: str) -> Sequence[object]:
    if isinstance(values, np.ndarray) and values.ndim == 1:
        listed: list[object] = values.tolist()
        return listed
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping):
        return list(values)
    raise InputError(f"column {name!r} is a {type(values).__name__}, expected a list of values")


def _series(name: str, values: Sequence[object]) -> pl.Series:
    """A typed column where all values are of one type, else text."""
    import polars as pl

    try:
        series = pl.Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, _texts(name, values), dtype=pl.String)
    return pl.Series(name, _texts(name, values), dtype=pl.String) if series.dtype == pl.Object else series


def _texts(name: str, values: Sequence[object]) -> list[str | None]:
    texts = []
    for number, value in enumerate(values, start=1):
        try:
            text = as_text(value)
            texts.append(text)
            (text or "").encode()
        except (TypeError, ValueError) as error:
            raise InputError(f"column {name!r}: {error}, expected text or a number", row=number) from error
    return texts


def to_long(evalset: EvalSet, *, texts: bool = True) -> pl.DataFrame:
    """The set as a long table, from which :func:`from_long` makes the same set. O(cells x scorers).

    A long table holds segment scores, source, references, outputs and contexts. :func:`not_in_long` says
    what else a set has. ``texts=False`` leaves texts out, which repeat on every row of a cell.

    >>> evalset = from_wide({"system": ["A"], "item": ["1"], "mqm": [-1.0], "BLEU@refA": [None]})
    >>> to_long(evalset).rows()
    [('A', '1', 'mqm', 'human', None, -1.0), ('A', '1', 'BLEU', 'metric', 'refA', None)]
    """
    import polars as pl

    scorers = [("human", s) for s in evalset.human.values()] + [
        ("metric", s) for s in evalset.metrics.values()
    ]
    scorers = [(kind, s) for kind, s in scorers if s.segment is not None]
    if not scorers or not evalset.systems or not evalset.items:
        raise InputError("the set has no segment scores, so that a long table of it is empty")
    n, m, k = len(evalset.systems), len(evalset.items), len(scorers)
    item = np.repeat(np.arange(m), n * k)
    system = np.tile(np.repeat(np.arange(n), k), m)

    def spread(name: str, values: Texts, rows: np.ndarray[Any, np.dtype[np.int64]]) -> pl.Series:
        return pl.Series(name, values, dtype=pl.String).gather(rows)

    scorer = np.tile(np.arange(k), n * m)
    stacked = np.stack([s.segment for _, s in scorers if s.segment is not None])
    columns = [
        spread("system", evalset.systems, system),
        spread("item", evalset.items, item),
        spread("scorer", tuple(s.name for _, s in scorers), scorer),
        spread("kind", tuple(kind for kind, _ in scorers), scorer),
        spread("reference", tuple(s.reference for _, s in scorers), scorer),
        pl.Series("score", stacked.transpose(2, 1, 0).ravel()).fill_nan(None),
    ]
    columns += [spread(_column(name, "item"), v, item) for name, v in evalset.item_context.items()]
    columns += [spread(f"system:{name}", v, system) for name, v in evalset.system_context.items()]
    if texts:
        if evalset.source is not None:
            columns.append(spread("source", evalset.source, item))
        columns += [spread(f"reference:{name}", v, item) for name, v in evalset.references.items()]
        if evalset.outputs:
            nothing: Texts = (None,) * m
            by_cell = [evalset.outputs.get(s, nothing) for s in evalset.systems]
            flat = tuple(text for of_system in by_cell for text in of_system)
            columns.append(spread("output", flat, system * m + item))
    return pl.DataFrame(columns)


def not_in_long(evalset: EvalSet) -> tuple[str, ...]:
    """What :func:`to_long` leaves out of a set, for people; empty where nothing is lost.

    >>> not_in_long(from_long({"system": ["A"], "item": [1], "scorer": ["mqm"], "score": [-1]}))
    ()
    """
    scorers = [*evalset.human.values(), *evalset.metrics.values()]
    published = sum(s.system is not None for s in scorers)
    grouped = sum(bool(s.groups) for s in scorers)
    summed = sum(s.corpus is not None for s in scorers)
    lost = {
        f"published system scores of {published} scorers": published,
        f"published document or domain scores of {grouped} scorers": grouped,
        f"corpus statistics of {summed} scorers": summed,
        f"error spans of {len(evalset.ratings)} raters": len(evalset.ratings),
        f"the name and pair ({f'{evalset.name} {evalset.pair}'.strip()})": evalset.name or evalset.pair,
    }
    return tuple(what for what, there in lost.items() if there)


def _column(name: str, prefix: str) -> str:
    """A context column under its own name where that means nothing else."""
    if name in ("document", "domain"):
        return name
    taken = {alias for role in ROLES for alias in ALIASES[role]}
    plain = fold(name) not in taken and fold(name.partition(":")[0]) not in PREFIXES
    return name if plain else f"{prefix}:{name}"
