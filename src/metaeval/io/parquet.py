"""Parquet from anywhere: read by polars, after a child process has shown that it can be.

A damaged page makes polars allocate what the page claims and abort the process, which no ``except``
catches. So a file from outside is first read by a child; if that dies, it is a message here. The price is
the child's start (about 0.2 s) and reading twice. Files of our own need none of this.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.errors import InputError, printable

if TYPE_CHECKING:
    import polars as pl

_CHECK = """
import sys
import polars as pl
try:
    pl.read_parquet(sys.argv[1], hive_partitioning=False, glob=False)
except BaseException as error:
    sys.stdout.write((str(error).splitlines() or [""])[0])
    sys.exit(3)
"""


def read_parquet(path: Path) -> pl.DataFrame:
    """The frame in a Parquet file that nobody vouches for; InputError where it cannot be read."""
    import polars as pl

    if not path.is_file():
        raise InputError("is not a file", path=path)
    # The interpreter that runs this runs a constant program; the path is an argument, not a part of it.
    child = subprocess.run(
        [sys.executable, "-c", _CHECK, str(path.resolve())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if child.returncode:
        reason = printable(child.stdout.decode("utf-8", "replace")) or "it is damaged"
        raise InputError(
            f"cannot be read as Parquet: {reason}",
            path=path,
            remedy="Write it again, or save the table as JSONL or CSV.",
        )
    return pl.read_parquet(path, hive_partitioning=False, glob=False)
