"""Data flows one way: the parts of the package import downward only, and no two parts import each other."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import metaeval

SOURCE = Path(metaeval.__file__).parent
CHAINS = (
    ("cli", "report", "probes", "board", "significance", "measures", "kernels", "errors"),
    ("cli", "report", "leaderboard", "board", "significance"),
    ("cli", "scorable", "io", "scorers", "evalset", "scores"),
)
"""From the top down: whoever stands to the left may import what stands to the right, never the reverse."""


def imports(tree: ast.AST) -> Iterator[str]:
    """The modules that code names when it runs; how a value prints itself is its own affair."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__str__":
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "metaeval":
            yield from (f"metaeval.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        else:
            yield from imports(node)


def part(module: str) -> str:
    """The folder or module directly under the package that a module belongs to."""
    return module.split(".")[1]


def graph() -> dict[str, set[str]]:
    """Each part with the parts that it imports. The package itself only says names and the version."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        own = path.relative_to(SOURCE).with_suffix("").parts[0]
        below = {part(name) for name in imports(ast.parse(path.read_text())) if name.startswith("metaeval.")}
        if own != "__init__":
            found[own] |= below - {own}
    return found


def test_no_two_parts_import_each_other() -> None:
    try:
        order = list(TopologicalSorter(graph()).static_order())
    except CycleError as cycle:
        pytest.fail(f"these import each other: {' -> '.join(cycle.args[1])}")
    assert len(order) > 20


@pytest.mark.parametrize("chain", CHAINS, ids=" -> ".join)
def test_nobody_imports_upward(chain: tuple[str, ...]) -> None:
    found = graph()
    assert set(chain) <= set(found)
    upward = [(low, high) for i, low in enumerate(chain) for high in chain[:i] if high in found[low]]
    assert upward == []
