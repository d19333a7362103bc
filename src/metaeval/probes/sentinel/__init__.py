"""Sentinels: metrics that must not win, and the experiments that they make possible (Perrella et al. 2024).

A sentinel sees less than a metric needs: only the source, only the reference, only the output, its length, or
nothing. Where one ranks high, the meta-evaluation rewards something other than judging translations.

``declared`` lists them and ``add`` scores them; ``views`` says what they see, ``surface`` and ``ridge`` learn
from it, ``crossfit`` needs no other data; ``perturbed`` makes the noisy twin of a discrete metric. The
experiments: ``groupings``, ``correlations``, ``lengths``, ``subsampling``, ``heldout_ties``.
"""
