"""Items of annotation files: an id for each segment of each document, in the order of the text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Segment = tuple[str, str]
"""A document and the id of a segment, as a file names them."""


def item_ids(segments: Iterable[Segment]) -> Mapping[Segment, str]:
    """The id of each segment, in order of document and number.

    The id is the segment's own where no two documents share one, else ``document:segment``. Then segment
    numbers count through the whole text and order the documents too; otherwise documents keep the order
    of first appearance. Ids that are not numbers keep their order.

    >>> dict(item_ids([("d2", "3"), ("d1", "2"), ("d1", "1")]))
    {('d1', '1'): '1', ('d1', '2'): '2', ('d2', '3'): '3'}
    >>> list(item_ids([("d2", "2"), ("d1", "1"), ("d2", "1")]).values())
    ['d2:1', 'd2:2', 'd1:1']
    """
    distinct = list(dict.fromkeys(segments))
    unique = len({segment for _, segment in distinct}) == len(distinct)
    numbered = all(segment.isascii() and segment.isdigit() for _, segment in distinct)
    numbers = [int(segment) if numbered else i for i, (_, segment) in enumerate(distinct)]
    rank: dict[str, int] = {}
    for i, ((document, _), number) in enumerate(zip(distinct, numbers, strict=True)):
        key = number if unique else i
        rank[document] = min(rank.get(document, key), key)
    order = sorted(range(len(distinct)), key=lambda i: (rank[distinct[i][0]], distinct[i][0], numbers[i]))
    return {distinct[i]: distinct[i][1] if unique else ":".join(distinct[i]) for i in order}
