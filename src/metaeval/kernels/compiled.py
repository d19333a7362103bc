"""Functions compiled by numba: importing this costs a second, so import it where much work waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function to run without the interpreter's lock, and keep it on disk if there is room."""
    result: Any
    try:
        result = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        result = numba.njit(nogil=True)(function)
    return cast(F, result)
