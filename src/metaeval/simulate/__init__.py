"""Evaluation data with a known truth: systems, raters and metrics whose faults one chooses.

The model, in units of latent quality: q = system - difficulty of the item + what is particular to an output.
Raters mark errors at a rate that falls with q (:mod:`~metaeval.simulate.human`); metrics see q, lengths and
noise of their own (:mod:`~metaeval.simulate.kinds`); texts have more wrong words where q is low
(:mod:`~metaeval.simulate.text`). Which metric is better then follows exactly
(:mod:`~metaeval.simulate.moments`).

>>> simulation = simulate(systems=6, items=50, seed=3)
>>> simulation.truth.ranking("item")[0]
'Neural-refA'
>>> simulate(CLEAN, length_bias=0.6, text=False).truth.gamed is None
True
"""

from metaeval.simulate.candidates import Candidates, candidates
from metaeval.simulate.config import CLEAN, Config, knobs
from metaeval.simulate.kinds import KINDS, Kind
from metaeval.simulate.simulation import Draw, Simulation, draw, simulate
from metaeval.simulate.studies import equal_metrics, metric_reaching
from metaeval.simulate.truth import Gaming, MetricTruth, Truth

__all__ = [
    "CLEAN",
    "KINDS",
    "Candidates",
    "Config",
    "Draw",
    "Gaming",
    "Kind",
    "MetricTruth",
    "Simulation",
    "Truth",
    "candidates",
    "draw",
    "equal_metrics",
    "knobs",
    "metric_reaching",
    "simulate",
]
