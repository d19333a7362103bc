"""How often a metric prefers an output to a damaged copy of it, and how that varies over contexts.

``texts``, ``lists`` and ``people`` make judged pairs: from perturbed texts, from perturbed rankings, and from
outputs that people ordered. Everything else reads the pairs: ``accuracy`` in each context, ``homogeneity``
whether it differs between contexts, ``ordering`` whether the order of metrics does, ``confounders`` how much
rests on the choice of perturbations, ``recommend`` which metric to take (Deviyani and Diaz 2025).
"""
