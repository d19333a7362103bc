"""An audit of a meta-evaluation: what it rewards that it should not, in sentences with numbers.

Each check is one small declaration in ``checks``: it looks at the evidence and yields findings
(:mod:`~metaeval.probes.audit.finding`). ``run`` gathers the evidence once and puts the findings in order;
``pointer`` is the cheap look that ``rank`` takes.
"""
