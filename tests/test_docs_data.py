"""The page on data: its tables are read as it says, and it leaves out no format and no name of a column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT

from metaeval.io import wide
from metaeval.io.columns import ALIASES, PREFIXES, PROTOCOLS
from metaeval.io.registry import read, readers

PAGE = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("number", "format"), list(enumerate(["wide", "long", "pairs"])))
def test_each_table_is_recognised_as_what_it_shows(tmp_path: Path, number: int, format: str) -> None:
    table = re.findall(r"```csv\n(.*?)```", PAGE, flags=re.DOTALL)[number]
    path = tmp_path / "table.csv"
    path.write_text(table, encoding="utf-8")
    assert next(name for name, reader in readers().items() if reader.sniff(path)) == format
    found = read(path)
    assert found.human
    assert next(iter(found.metrics.values())).name == "BLEU"


def test_every_format_is_listed() -> None:
    assert all(f"| `{name}` |" in PAGE for name in readers())


def test_every_name_of_a_column_is_listed() -> None:
    names = {alias for role in wide.ROLES for alias in ALIASES[role]} | set(PROTOCOLS)
    assert {name for name in names if not re.search(rf"\b{name}\b", PAGE)} == set()
    assert all(f"`{prefix}:NAME`" in PAGE for prefix in PREFIXES)
