"""Metric interference: a metric that chose the outputs cannot judge them (Pombal et al. 2025).

Each module does one thing: ``detect`` finds pairs of metric and system where the metric likes the system
more than the other metrics explain; ``adjust`` predicts the interfering metric from others (MINTADJUST),
``rivals`` are what it competes with, ``judge`` says which of them is right, ``grid`` varies how it is
learned; ``mbr`` and ``selection`` make interference; ``deltas`` and ``agreement`` show what it does.

What finds and corrects interference reads no human score; only judging does.
"""
