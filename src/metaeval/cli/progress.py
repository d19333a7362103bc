"""A progress bar on a terminal, after a second; silence in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

_PATIENCE_SECONDS = 1.0


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None] | None]:
    """Yields what to call with (task, done, total), or None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, TaskID] = {}
    begun = time.monotonic()

    def report(what: str, done: int, total: int) -> None:
        if time.monotonic() - begun < _PATIENCE_SECONDS:
            return
        shown.start()
        if what not in tasks:
            tasks[what] = shown.add_task(what, total=total)
        shown.update(tasks[what], completed=done, total=total)

    try:
        yield report
    finally:
        shown.stop()
