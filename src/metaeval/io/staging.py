"""Writing a folder so that it is either whole or not there."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metaeval.errors import InputError


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A new folder beside ``target``, removed at the end: fill it, then :func:`settle` it.

    Being on the same file system, it can become the target in one step. What the system refuses
    (no space, no permission, a name it cannot hold) is an InputError.
    """
    staging = target.parent / f".{target.name}.{secrets.token_hex(4)}.partial"
    try:
        staging.mkdir(parents=True)
        try:
            yield staging
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        place = target if error.filename is None else _seen_as(Path(error.filename), staging, target)
        raise InputError(f"cannot be written: {error.strerror or error}", path=place) from error


def settle(staging: Path, target: Path) -> None:
    """Makes a finished folder the target, which must be absent or empty."""
    if target.exists():
        target.rmdir()
    staging.rename(target)


def is_free(target: Path) -> bool:
    """Whether nothing would be lost: there is no such path, or an empty folder."""
    if target.is_symlink() or target.exists():
        return target.is_dir() and not any(target.iterdir())
    return True


def _seen_as(path: Path, staging: Path, target: Path) -> Path:
    """The path a user knows instead of the temporary one."""
    return target / path.relative_to(staging) if path.is_relative_to(staging) else path
