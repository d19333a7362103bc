"""The one identity behind every fast path: a sum over a hybrid is linear in the mask."""

from __future__ import annotations

from metaeval.scores import FloatArray


def hybrid_sums(whole: FloatArray, masked: FloatArray) -> FloatArray:
    """Sums over the hybrids of all pairs of metrics.

    Metric i gives up what is masked and takes on what metric j has there, so with one matrix product per
    metric every pair is served.

    Args:
        whole: (metrics, ...), the sums over all units.
        masked: (draws, metrics, ...), the sums over the units that are exchanged.

    Returns:
        (draws, metrics, metrics, ...).

    >>> import numpy as np
    >>> hybrid_sums(np.array([10.0, 20.0]), np.array([[1.0, 5.0]])).tolist()
    [[[10.0, 14.0], [16.0, 20.0]]]
    """
    kept = whole[None] - masked
    sums: FloatArray = kept[:, :, None] + masked[:, None, :]
    return sums
