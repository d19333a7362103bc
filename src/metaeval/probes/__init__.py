"""Experiments on metrics: what makes a score rise that should not, and what does not make it rise."""
