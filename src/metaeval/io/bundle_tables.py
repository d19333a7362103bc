"""An EvalSet as the tables of a bundle, and back. The tables are described in :mod:`metaeval.io.bundle`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import InputError, printable
from metaeval.evalset import EvalSet, Texts
from metaeval.io.bundle_statistics import read_statistics, statistics_columns
from metaeval.scores import FloatArray, GroupScores, Scores

if TYPE_CHECKING:
    import polars as pl

Tables = Mapping[str, "pl.DataFrame"]


def to_tables(evalset: EvalSet) -> dict[str, pl.DataFrame]:
    """Every table that has a column."""
    import polars as pl

    scorers = list(_scorers(evalset))
    items: dict[str, Texts] = {"id": evalset.items}
    items |= {} if evalset.source is None else {"source": evalset.source}
    items |= {f"reference:{name}": texts for name, texts in evalset.references.items()}
    items |= {f"context:{name}": values for name, values in evalset.item_context.items()}
    about_systems: dict[str, Texts] = {"id": evalset.systems}
    about_systems |= {f"context:{name}": values for name, values in evalset.system_context.items()}
    published = [_numbers(column, s.system) for column, s in scorers if s.system is not None]
    segments = [_numbers(column, s.segment) for column, s in scorers if s.segment is not None]
    tables = {
        "items": pl.DataFrame(_text_columns(items)),
        "systems": pl.DataFrame([*_text_columns(about_systems), *published]),
        "outputs": pl.DataFrame(_text_columns(evalset.outputs)),
        "scorers": _scorer_table(scorers),
        "segments": pl.DataFrame(segments),
        "statistics": pl.DataFrame(
            [_numbers(column, values) for column, values in statistics_columns(scorers)]
        ),
        "groups": _group_table(scorers, len(evalset.systems)),
        "ratings": pl.DataFrame(_text_columns(_rating_columns(evalset))),
    }
    return {name: table for name, table in tables.items() if table.width}


def from_tables(tables: Tables, *, name: str, pair: str) -> EvalSet:
    """The EvalSet of these tables; InputError where they do not fit together."""
    items, about_systems = tables["items"], tables["systems"]
    systems = tuple(_id(value) for value in _texts(about_systems, "id"))
    shape = (len(systems), items.height)
    scorers = _read_scorers(tables, shape)
    return EvalSet(
        systems=systems,
        items=tuple(_id(value) for value in _texts(items, "id")),
        human={s.key: s for column, s in scorers.items() if column.startswith("human:")},
        metrics={s.key: s for column, s in scorers.items() if column.startswith("metric:")},
        source=_texts(items, "source") if "source" in items.columns else None,
        references=_prefixed(items, "reference:"),
        outputs=_prefixed(tables["outputs"], "") if "outputs" in tables else {},
        item_context=_prefixed(items, "context:"),
        system_context=_prefixed(about_systems, "context:"),
        ratings=_read_ratings(tables["ratings"]) if "ratings" in tables else {},
        name=name,
        pair=pair,
    )


def _scorers(evalset: EvalSet) -> Iterator[tuple[str, Scores]]:
    for kind, scorers in (("human", evalset.human), ("metric", evalset.metrics)):
        for key, scores in scorers.items():
            yield f"{kind}:{key}", scores


def _text_columns(columns: Mapping[str, Texts]) -> list[pl.Series]:
    import polars as pl

    for name, texts in columns.items():
        try:
            "\n".join((name, *(text for text in texts if text))).encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{printable(name, 60)} holds text that is not Unicode (a lone surrogate)",
                remedy="Read the data again with the right encoding.",
            ) from error
    return [pl.Series(name, list(texts), dtype=pl.String) for name, texts in columns.items()]


def _numbers(name: str, values: FloatArray) -> pl.Series:
    """A column of scores; as Float32 where that holds every one exactly, which halves it."""
    import polars as pl

    flat = values.ravel()
    with np.errstate(over="ignore", under="ignore"):
        single = flat.astype(np.float32)
        exact = np.array_equal(single.astype(np.float64), flat, equal_nan=True)
    return pl.Series(name, single if exact else flat, nan_to_null=True)


def _floats(table: pl.DataFrame, column: str) -> FloatArray:
    import polars as pl

    if not table[column].dtype.is_float():
        raise InputError(f"the column {printable(column, 60)!r} does not hold numbers")
    found: FloatArray = table[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return found


def _texts(table: pl.DataFrame, column: str) -> Texts:
    import polars as pl

    if column not in table.columns or table[column].dtype != pl.String:
        raise InputError(f"there is no text column {printable(column, 60)!r}")
    return tuple(table[column].to_list())


def _prefixed(table: pl.DataFrame, prefix: str) -> dict[str, Texts]:
    return {name[len(prefix) :]: _texts(table, name) for name in table.columns if name.startswith(prefix)}


def _id(value: str | None) -> str:
    return value or ""  # EvalSet refuses an empty id


def _scorer_table(scorers: list[tuple[str, Scores]]) -> pl.DataFrame:
    import polars as pl

    columns = {
        "kind": tuple(column.partition(":")[0] for column, _ in scorers),
        "name": tuple(scores.name for _, scores in scorers),
        "reference": tuple(scores.reference for _, scores in scorers),
    }
    return pl.DataFrame(_text_columns(columns))


def _read_scorers(tables: Tables, shape: tuple[int, int]) -> dict[str, Scores]:
    """Every scorer by its column name, with what the tables hold of it."""
    about, published, segments = tables["scorers"], tables["systems"], tables.get("segments")
    groups = _read_groups(tables["groups"], shape[0]) if "groups" in tables else {}
    found: dict[str, Scores] = {}
    summed = tables.get("statistics")
    numbers = [] if summed is None else [(column, _floats(summed, column)) for column in summed.columns]
    statistics = read_statistics(numbers, shape)
    columns = (_texts(about, column) for column in ("kind", "name", "reference"))
    for kind, name, reference in zip(*columns, strict=True):
        column = f"{kind}:{Scores(name or '', reference).key}"
        if kind not in ("human", "metric") or column in found:
            raise InputError(f"the scorer {printable(column, 60)!r} is not one of its kind")
        has_segments = segments is not None and column in segments.columns
        found[column] = Scores(
            name or "",
            reference,
            _floats(segments, column).reshape(shape) if segments is not None and has_segments else None,
            _floats(published, column) if column in published.columns else None,
            groups.get(column, {}),
            statistics.get(column),
        )
    known = {*found, "id", *(name for name in published.columns if name.startswith("context:"))}
    scored = segments.columns if segments is not None else ()
    for column in (*published.columns, *scored, *groups, *statistics):
        if column not in known:
            raise InputError(f"scores of the unknown scorer {printable(column, 60)!r}")
    return found


def _group_table(scorers: list[tuple[str, Scores]], systems: int) -> pl.DataFrame:
    """A row a label; a level without labels has one row with a null label."""
    import polars as pl

    rows = [
        (column, level, label, values)
        for column, scores in scorers
        for level, group in scores.groups.items()
        for label, values in (
            zip(group.labels, group.values.T, strict=True)
            if group.labels
            else [(None, np.full(systems, np.nan))]
        )
    ]
    if not rows:
        return pl.DataFrame()
    columns, levels, labels, values = zip(*rows, strict=True)
    texts = _text_columns({"scorer": columns, "level": levels, "label": labels})
    return pl.DataFrame([*texts, *(_numbers(str(i), column) for i, column in enumerate(np.array(values).T))])


def _read_groups(table: pl.DataFrame, systems: int) -> dict[str, dict[str, GroupScores]]:
    keys = list(zip(*(_texts(table, column) for column in ("scorer", "level", "label")), strict=True))
    if table.columns[3:] != [str(i) for i in range(systems)]:
        raise InputError("the group scores are not one column a system")
    values = np.array([_floats(table, str(i)) for i in range(systems)]).reshape(systems, len(keys))
    at: dict[tuple[str, str], list[int]] = {}
    for i, (scorer, level, _) in enumerate(keys):
        at.setdefault((scorer or "", level or ""), []).append(i)
    found: dict[str, dict[str, GroupScores]] = {}
    for (scorer, level), rows in at.items():
        rows = [i for i in rows if keys[i][2] is not None]
        labels = tuple(label for i in rows if (label := keys[i][2]) is not None)
        found.setdefault(scorer, {})[level] = GroupScores(labels, values[:, rows])
    return found


def _rating_columns(evalset: EvalSet) -> dict[str, Texts]:
    """Named by JSON: ``["mqm.rater1", "GPT4"]``; a rater of no system has a column of its own."""
    columns: dict[str, Texts] = {}
    for rater, by_system in evalset.ratings.items():
        columns |= {_column(rater, system): texts for system, texts in by_system.items()}
        if not by_system:
            columns[_column(rater)] = (None,) * len(evalset.items)
    return columns


def _column(*names: str) -> str:
    return json.dumps(names, ensure_ascii=False)


def _read_ratings(table: pl.DataFrame) -> dict[str, dict[str, Texts]]:
    found: dict[str, dict[str, Texts]] = {}
    for column in table.columns:
        try:
            rater, *system = json.loads(column)
        except (ValueError, RecursionError, TypeError) as error:
            raise InputError(f"the ratings column {printable(column, 60)!r} names no rater") from error
        if column != _column(*map(str, (rater, *system))) or len(system) > 1:
            raise InputError(f"the ratings column {printable(column, 60)!r} names no rater")
        by_system = found.setdefault(rater, {})
        by_system |= {name: _texts(table, column) for name in system}
    return found
