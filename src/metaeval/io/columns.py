"""What the columns of a table mean, by their names: one vocabulary for long, wide and pair tables.

=====================  ===================================================================================
``system``             also sys, system_id, system_name, model
``item``               also item_id, seg, segment, seg_id, segment_id, id
``document``           also doc, doc_id, document_id; an item's document, known by this name
``domain``             an item's domain, known by this name
``source``             also src, source_text; the text that was translated, transcribed, ...
``output``             also hypothesis, hyp, mt, translation, target
``reference:NAME``     the text of a reference; a lone ``reference`` (also ref) is the text of one called
                       ref, but in a long table, where it names what a metric used
``human:NAME``         human scores of the protocol NAME (wide tables)
``metric:NAME``        scores of a metric (wide tables)
``item:NAME``          a context column of items, whatever it holds
``system:NAME``        a context column of systems
=====================  ===================================================================================

Case does not count, and a blank or hyphen is an underscore. Two columns for one meaning are an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from metaeval.errors import choices
from metaeval.io.tabular import Table

ALIASES: Mapping[str, tuple[str, ...]] = {
    "system": ("system", "sys", "system_id", "system_name", "model"),
    "item": ("item", "item_id", "seg", "segment", "seg_id", "segment_id", "id"),
    "scorer": ("scorer", "scorer_name", "metric", "metric_name"),
    "kind": ("kind", "scorer_kind"),
    "score": ("score", "value"),
    "reference": ("reference", "ref"),
    "document": ("document", "document_id", "doc", "doc_id"),
    "domain": ("domain",),
    "source": ("source", "source_text", "src"),
    "output": ("output", "output_text", "hypothesis", "hyp", "mt", "translation", "target"),
    "winner": ("winner", "preference", "preferred"),
    "system_a": ("system_a",),
    "system_b": ("system_b",),
    "output_a": ("output_a",),
    "output_b": ("output_b",),
}

PREFIXES = ("human", "metric", "item", "system", "reference")

PROTOCOLS = ("human", "mqm", "esa", "da", "sqm", "psqm", "da_sqm", "mos")
"""Names that are human judgments without saying so."""

HUMAN_RULE = "Human scores are columns or scorers called human:NAME, or one of " + ", ".join(PROTOCOLS) + "."

_REFERENCE_SUFFIX = re.compile(r"(.+)@(src|ref.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which column has which role, which are declared by a prefix, and which are left to be looked at."""

    roles: Mapping[str, str]
    declared: Mapping[str, tuple[str, str]]
    """Column -> prefix and name."""
    others: tuple[str, ...]


def layout(table: Table, roles: Iterable[str], required: Iterable[str]) -> Layout:
    """The roles of the columns of a table; an error where one is missing or there twice."""
    meaning = {alias: role for role in roles for alias in ALIASES[role]}
    found: dict[str, str] = {}
    declared, others = {}, []
    for column in table.columns:
        prefix, _, name = column.partition(":")
        role = meaning.get(fold(column))
        if name and fold(prefix) in PREFIXES:
            declared[column] = (fold(prefix), name.strip())
        elif role is None:
            others.append(column)
        elif role in found:
            raise table.error(
                f"columns {found[role]!r} and {column!r} could both be the {role}",
                remedy=f"Rename one; item:{column} keeps it as a context column.",
            )
        else:
            found[role] = column
    for role in required:
        if role not in found:
            raise table.error(
                f"there is no {role} column",
                remedy=f"Expected {' or '.join(ALIASES[role])}. {choices(role, table.columns)}",
            )
    return Layout(found, declared, tuple(others))


def has_roles(columns: Iterable[str], roles: Iterable[str]) -> bool:
    """Whether a header has all of these roles: what a sniffer asks.

    >>> has_roles(["Sys", "seg_id", "BLEU"], ["system", "item"])
    True
    """
    names = {fold(column) for column in columns}
    return all(names & set(ALIASES[role]) for role in roles)


def is_protocol(name: str) -> bool:
    return fold(name) in PROTOCOLS


def split_reference(name: str) -> tuple[str, str | None]:
    """The metric and the reference it used: ``COMET@refA``, ``Kiwi@src``.

    Only ``@src`` and ``@ref...`` are read so: nDCG@10 is a name, and so are UniTE-src and BLEU-refA, for
    a hyphen may belong to the name.

    >>> split_reference("COMET@refA"), split_reference("nDCG@10")
    (('COMET', 'refA'), ('nDCG@10', None))
    """
    match = _REFERENCE_SUFFIX.fullmatch(name)
    return (match[1], match[2]) if match else (name, None)


def fold(name: str) -> str:
    """A name without case; blanks and hyphens are underscores.

    >>> fold(" Seg-ID ")
    'seg_id'
    """
    return re.sub(r"[\s-]+", "_", name.strip().casefold())
