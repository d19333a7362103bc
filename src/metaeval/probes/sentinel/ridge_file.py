"""Files of embedded sentinels: arrays of numbers, so that loading one runs no code."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from metaeval.errors import InputError
from metaeval.probes.sentinel.ridge import BUCKETS, Ridge
from metaeval.probes.sentinel.surface import SURFACE_SIZE

KIND = "metaeval sentinel, ridge 1"
NAMES = ("weights", "rarity", "intercept", "centre", "spread")
MOST_BYTES = 4 * 8 * BUCKETS
"""Unpacked, an array of a sentinel has less: a number a bucket and some more."""
AGAIN = "Train it again: metaeval sentinel train"


def save_ridge(model: Ridge, path: Path) -> None:
    """All or nothing, and never over a file that is no sentinel. Buckets without a text are left out."""
    check_target(path)
    used = np.flatnonzero(model.weights[:BUCKETS])
    try:
        with TemporaryDirectory(prefix=path.name + ".", dir=path.absolute().parent) as aside:
            fresh = Path(aside) / "new"
            with fresh.open("wb") as out:
                np.savez_compressed(
                    out,
                    kind=np.array(KIND),
                    used=used,
                    weights=np.concatenate([model.weights[used], model.weights[BUCKETS:]]),
                    rarity=model.rarity[used],
                    intercept=np.array(model.intercept),
                    centre=model.centre,
                    spread=model.spread,
                )
            fresh.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from error


def check_target(path: Path) -> None:
    """Refuse a file that writing a sentinel would destroy."""
    if not path.exists():
        return
    try:
        load_ridge(path)
    except InputError as error:
        raise InputError(
            "exists, and is no sentinel; it is left alone",
            path=path,
            remedy="Remove it, or choose another name.",
        ) from error


def load_ridge(path: Path) -> Ridge:
    """What :func:`save_ridge` wrote; anything else is refused, and nothing large is unpacked."""
    try:
        return _read(path)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
    except Exception as error:  # whatever a damaged archive makes its readers raise
        raise InputError("is not a sentinel that metaeval saved", path=path, remedy=AGAIN) from error


def _read(path: Path) -> Ridge:
    with zipfile.ZipFile(path) as archive:
        if any(held.file_size > MOST_BYTES for held in archive.infolist()):
            raise InputError("holds arrays larger than a sentinel's", path=path, remedy=AGAIN)
    with np.load(path, allow_pickle=False) as arrays:
        if (kind := str(arrays["kind"])) != KIND:
            raise InputError(f"found {kind!r}, expected {KIND!r}", path=path, remedy=AGAIN)
        used = arrays["used"]
        found = {name: np.asarray(arrays[name], dtype=np.float64) for name in NAMES}
    shapes = {name: array.shape for name, array in found.items()}
    if used.ndim != 1 or shapes != {
        "weights": (len(used) + SURFACE_SIZE,),
        "rarity": (len(used),),
        "intercept": (),
        "centre": (SURFACE_SIZE,),
        "spread": (SURFACE_SIZE,),
    }:
        raise InputError("holds arrays of sizes that do not fit", path=path, remedy=AGAIN)
    if not all(np.isfinite(array).all() for array in found.values()) or not found["spread"].all():
        raise InputError("holds numbers that are not finite, or a spread of 0", path=path, remedy=AGAIN)
    weights, rarity = np.zeros(BUCKETS + SURFACE_SIZE), np.zeros(BUCKETS)
    weights[used], weights[BUCKETS:] = found["weights"][: len(used)], found["weights"][len(used) :]
    rarity[used] = found["rarity"]
    return Ridge(weights, float(found["intercept"]), rarity, found["centre"], found["spread"])
