"""A tiny mt-metrics-eval folder, ways to damage it, and EvalSets with everything odd that one may hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from metaeval.evalset import EvalSet, by_key
from metaeval.scores import FloatArray, GroupScores, Scores

NONE = "A\tNone\nA\tNone\nA\tNone\n"
TINY: Mapping[str, str] = {
    "sources/zh-en.txt": "一\n二\t2\n三\n",
    "documents/zh-en.docs": "news d1\nnews\td1\nchat  d2\n",
    "references/zh-en.refA.txt": "one\ntwo\nthree\n",
    "system-outputs/zh-en/A.txt": "1\n\n3\n",
    "system-outputs/zh-en/B_2.txt": "I\nII\nIII\n",
    "system-outputs/zh-en/refA.txt": "one\ntwo\nthree\n",
    "human-scores/zh-en.mqm.seg.score": "B_2\t-1\nB_2\tNone\nB_2\t-0.1\nA\t0\nA\t-5.0\nA\t-25\n",
    "human-scores/zh-en.mqm.sys.score": "B_2\t-1\nA\t-5\n",
    "human-scores/zh-en.mqm.domain.score": "chat\tA\t-1\nnews\tA\t-2\nnews\tB_2\t-3\n",
    "human-scores/zh-en.mqm.r1.seg.rating": 'A\tNone\nA\t{"errors": []}\nA\t{"errors": [{"score": 1.0}]}\n',
    "metric-scores/zh-en/BLEU-refA.seg.score": "A 0.1\nA   2e-1\nA\t0.3\nB_2\t1\nB_2\t2\nB_2\t3\n",
    "metric-scores/zh-en/BLEU-refA.doc.score": "A\t0.15\nA\t0.3\nB_2\t1.5\nB_2\t3\n",
    "metric-scores/zh-en/chrF-src.sys.score": "A\t60.25\nrefA\t1e2\n",
}


def tiny(folder: Path, **changed: str | bytes | None) -> Path:
    """Writes the folder; ``changed`` gives files by name (dots and slashes as they are), None removes one."""
    return written(folder, {**TINY, **changed})


def written(folder: Path, contents: Mapping[str, str | bytes | None]) -> Path:
    for name, content in contents.items():
        if content is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


Damage = Callable[[bytes], bytes]

ODD = [
    b"inf",
    b"-nan",
    b"1e999",
    b"1_0",
    b"None",
    b"",
    b"\t",
    b" ",
    b"A\t1",
    b"B_2",
    b"\xef\xbb\xbf",
    b"0x1p3",
]
ODD += ["１٢".encode(), "\u2028".encode(), b"\x0c", b"\r", b"\xff", b"\x00", b'{"errors": 1}', b"[" * 99_999]


def _on_lines(change: Callable[[list[bytes]], list[bytes]]) -> Damage:
    return lambda content: b"".join(change(content.splitlines(keepends=True)))


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    """A change to the bytes of a file: lines lost, doubled or swapped, odd tokens, cuts, other encodings."""
    at, other = draw(st.integers(0, 8)), draw(st.integers(0, 8))
    odd, cut = draw(st.sampled_from(ODD)), draw(st.integers(0, 90))
    field = draw(st.integers(0, 2))

    def swapped(lines: list[bytes]) -> list[bytes]:
        if max(at, other) < len(lines):
            lines[at], lines[other] = lines[other], lines[at]
        return lines

    def replaced(lines: list[bytes]) -> list[bytes]:
        if at < len(lines):
            parts = lines[at].rstrip(b"\n").split(b"\t")
            parts[field % len(parts)] = odd
            lines[at] = b"\t".join(parts) + b"\n"
        return lines

    kinds: list[Damage] = [
        _on_lines(lambda lines: lines[:at] + lines[at + 1 :]),
        _on_lines(lambda lines: lines[: at + 1] + lines[at:]),
        _on_lines(lambda lines: lines + lines),
        _on_lines(lambda lines: lines[::-1]),
        _on_lines(swapped),
        _on_lines(replaced),
        lambda content: content[:cut],
        lambda content: content[:cut] + odd + content[cut:],
        lambda content: content[:cut] + odd + content[cut + len(odd) :],
        lambda content: content.replace(b"\t", b"  "),
        lambda content: content.replace(b"\t", b"\t\t", 1),
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content.replace(b"A", b"B_2"),
        lambda content: content.decode("utf-8", "replace").encode("utf-16"),
        lambda content: "ä".encode("latin-1") + content,
        lambda content: b"",
    ]
    return draw(st.sampled_from(kinds))


PLAIN_NAMES = ["A", "B", "C-3", "x.y", "a b", "refA", "ref-B", "None", "ä", "src"]
ODD_NAMES = ["/", "..", " c", "t\tab", "n\nl", "\ufeffb"]
PLAIN_TEXTS = [None, "", "a", "None", "\t", " x ", "\u2028", "{}", "ä" * 99]
ODD_TEXTS = ["line\nbreak", "\r", "\ufeff", "\0", "\ud800"]
RATINGS = [None, '{"errors": []}', '{"errors":\t[{}]}', "[]", "None", ' {"errors": []}', '{"errors":\n[]}']
NUMBERS = [0.0, -0.0, -25.0, 0.1, 1e-320, 1e100, 1 / 3, float(np.float32(0.1)), float("nan")]


@st.composite
def evalsets(draw: st.DrawFn, *, odd: bool = True) -> EvalSet:
    """Small sets with any part missing; ``odd`` ones hold names and texts that no text file can hold."""
    names = st.sampled_from([*PLAIN_NAMES, *(ODD_NAMES if odd else [])])
    texts_of = [*PLAIN_TEXTS, *(ODD_TEXTS if odd else [])]
    some_names = st.lists(names, max_size=2, unique=True)
    systems = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    n = draw(st.integers(1, 4))
    items = [f"{i + 1}" for i in range(n)] if draw(st.booleans()) else [f"i{i}" for i in range(n)]

    def texts(values: list[str | None] = texts_of, size: int = n) -> st.SearchStrategy[list[str | None]]:
        return st.lists(st.sampled_from(values), min_size=size, max_size=size)

    def numbers(*shape: int) -> FloatArray:
        size = int(np.prod(shape))
        return np.array(draw(st.lists(st.sampled_from(NUMBERS), min_size=size, max_size=size))).reshape(shape)

    def scores() -> Scores:
        labels = draw(st.lists(st.sampled_from(["d1", "d2", "d 3", "", "x\ty"]), max_size=3, unique=True))
        levels = draw(st.lists(st.sampled_from(["doc", "domain", "user"]), unique=True))
        return Scores(
            draw(names),
            draw(st.sampled_from([None, "refA", "src", "all", "refA.ref-B"])),
            numbers(len(systems), n) if draw(st.booleans()) else None,
            numbers(len(systems)) if draw(st.booleans()) else None,
            {level: GroupScores(tuple(labels), numbers(len(systems), len(labels))) for level in levels},
        )

    def scorers() -> dict[str, Scores]:
        listed = [scores() for _ in range(draw(st.integers(0, 3)))]
        return by_key({one.key: one for one in listed}.values())

    some = st.lists(st.sampled_from(systems), unique=True)
    labels: list[str | None] = ["d1", "d2", "d1", "d 3", None] if draw(st.booleans()) else ["d1", "d2"]
    context = ["document", "domain", "other"]
    return EvalSet(
        systems=tuple(systems),
        items=tuple(items),
        human=scorers(),
        metrics=scorers(),
        source=draw(st.none() | texts().map(tuple)),
        references={name: tuple(draw(texts())) for name in draw(some_names)},
        outputs={system: tuple(draw(texts())) for system in draw(some)},
        item_context={
            name: tuple(draw(texts(labels)))
            for name in draw(st.lists(st.sampled_from(context), max_size=3, unique=True))
        },
        system_context={"team": tuple(draw(texts(size=len(systems))))} if draw(st.booleans()) else {},
        ratings={
            rater: {system: tuple(draw(texts([*RATINGS]))) for system in draw(some)}
            for rater in draw(some_names)
        },
        name="tiny",
        pair=draw(st.sampled_from(["zh-en", "", "a.b"])),
    )
