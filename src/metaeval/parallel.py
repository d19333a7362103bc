"""The one place that knows how work is spread over processors or machines: joblib.

Any backend that joblib knows is used by its name: ``threading`` and ``loky`` come with it; ``dask`` and
``ray`` once their package has registered them. Results come in the order of the tasks, whatever the
backend and the number of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Literal, TypeAlias, TypeVar

Sharing: TypeAlias = Literal["threads", "processes"]
_BACKENDS = {"threads": "threading", "processes": "loky"}
_A = TypeVar("_A")
_R = TypeVar("_R")

_chosen: list[str] = []


@contextmanager
def backend(name: str) -> Iterator[None]:
    """Within it, all work is spread by the joblib backend of that name.

    >>> with backend("threading"):
    ...     list(spread(abs, [-1, 2], jobs=2, sharing="processes"))
    [1, 2]
    """
    _chosen.append(name)
    try:
        yield
    finally:
        _chosen.pop()


def spread(
    function: Callable[[_A], _R], tasks: Iterable[_A], jobs: int = 1, sharing: Sharing = "threads"
) -> Iterator[_R]:
    """The results of ``function`` for each task, in order.

    Tasks are taken a round at a time, ``jobs`` to a round, so that the caller may stop between rounds and
    an interrupt ends with the round. Threads suit compiled code and matrix products, processes anything in
    Python; with one job and no other backend chosen everything runs where it is called.
    """
    waiting = iter(tasks)
    if jobs == 1 and not _chosen:
        yield from map(function, waiting)
        return
    from joblib import Parallel, delayed

    name = _chosen[-1] if _chosen else _BACKENDS[sharing]
    with Parallel(n_jobs=jobs, backend=name) as pool:
        while batch := list(islice(waiting, max(jobs, 1))):
            yield from pool(delayed(function)(task) for task in batch)
