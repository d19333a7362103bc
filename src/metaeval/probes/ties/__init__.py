"""What ties do to a meta-evaluation, on one's own data (Deutsch et al. 2023).

Each module asks one question of paired data (:func:`metaeval.paired.pair_up`) and answers with a frozen
result: ``table`` every statistic of every metric; ``statistics`` how many pairs are tied; ``curve`` what each
threshold would give; ``buckets`` how a metric gains by losing groups; ``breaking`` what random tie-breaking
changes; ``where`` which pairs calibration ties; ``heldout`` whether a threshold carries over to other data;
``sampling`` how far a search on a sample of the pairs is off.
"""
