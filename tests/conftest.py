"""Where the real data is, and how tests that need it skip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from metaeval.evalset import EvalSet

# What a busy machine is slow at is not wrong: no deadline. The same commit draws the same examples, so that
# what is green stays green; `make test PYTEST=--hypothesis-profile=explore` draws new ones.
settings.register_profile("metaeval", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("metaeval")

ROOT = Path(__file__).resolve().parents[1]
REAL_DATA = Path(os.environ.get("METAEVAL_REAL_DATA", ROOT / "../shared/data"))


def real(*parts: str) -> Path:
    """A path in the real data; skips the test where it is absent."""
    path = (REAL_DATA if REAL_DATA.is_absolute() else ROOT / REAL_DATA).joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs real data: {path} is not there (METAEVAL_REAL_DATA)")
    return path


def expected(name: str) -> Path:
    """A table of published values, beside the real data."""
    return real("..", "expected", name)


@pytest.fixture(scope="session")
def wmt22() -> EvalSet:
    from metaeval.io.registry import read

    return read(real("wmt22"), pair="zh-en")


@pytest.fixture(scope="session")
def wmt23() -> EvalSet:
    from metaeval.io.registry import read

    return read(real("wmt23"), pair="zh-en")
