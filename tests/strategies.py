"""Random data with the nasty cases in it: ties, gaps, constant vectors, lone cells."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from metaeval.scores import FloatArray


@st.composite
def matrices(draw: st.DrawFn, *, rows: int = 5, columns: int = 6) -> tuple[FloatArray, FloatArray]:
    """A human and a metric matrix, systems x items, missing in the same cells, with at least one cell."""
    shape = (draw(st.integers(1, rows)), draw(st.integers(1, columns)))
    size = shape[0] * shape[1]
    human_values = st.sampled_from([0.0, -1.0, -5.0, -0.1, -25.0])
    metric_values = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-2, 2, width=32))
    human = np.array(draw(st.lists(human_values, min_size=size, max_size=size))).reshape(shape)
    metric = np.array(draw(st.lists(metric_values, min_size=size, max_size=size))).reshape(shape)
    missing = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size))).reshape(shape)
    if draw(st.booleans()) or missing.all():
        missing[:] = False
    human[missing] = metric[missing] = np.nan
    return human, metric
