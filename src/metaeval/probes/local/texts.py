"""Judged pairs from texts: each output beside damaged copies of it, each distinct text scored once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.names import Patterns, matching
from metaeval.perturb.base import Output, Perturbation, Perturbed, Task
from metaeval.perturb.drawing import ask_ahead, draw
from metaeval.perturb.words.languages import language_code
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.probes.local.pairs import Pairs, Verdicts, joined, verdicts
from metaeval.scorers.base import Scorer, Segment
from metaeval.scorers.run import Workshop, measure
from metaeval.scores import FloatArray

DRAWS = 4
"""As in Deviyani and Diaz (2025)."""

_BLOCK = 8_000
"""Outputs whose copies are held in memory at a time."""


@dataclass(frozen=True, slots=True)
class Applied:
    """How often a perturbation was tried, and how often it could act."""

    perturbation: str
    tried: int
    applied: int


@dataclass(frozen=True, eq=False, slots=True)
class TextPairs:
    """The pairs, and how they came about."""

    pairs: Pairs
    applied: tuple[Applied, ...]
    lexicon: Lexicon
    reference: str | None
    notes: tuple[str, ...] = ()
    """What people should know: outputs that have no pairs, perturbations that never act."""


def text_pairs(
    evalset: EvalSet,
    scorers: Sequence[Scorer],
    perturbations: Sequence[Perturbation],
    *,
    reference: str | None = None,
    systems: Patterns | None = None,
    language: str | None = None,
    task: Task = "mt",
    draws: int = DRAWS,
    seed: int = 0,
    workshop: Workshop | None = None,
) -> TextPairs:
    """Every output with up to ``draws`` damaged copies, and what each scorer says of them.

    The outputs are worked through in blocks, so memory follows the size of a block and a few bytes a pair.

    Args:
        evalset: outputs, with the reference and the source that the scorers and perturbations read.
        reference: which one to compare with; by default the first. It is not an output of itself.
        systems: by default all with outputs.
        language: of the outputs, as a code; by default the second of the language pair.
        task: what the outputs are: a language model is told.
        workshop: cache, jobs and progress of the scoring.
    """
    if draws < 1:
        raise InputError(f"found {draws} draws, expected at least 1")
    for scorer in scorers:
        scorer.check()
    chosen = _reference(evalset, scorers, reference)
    needs_source = _needs_source(evalset, scorers)
    tongue = _language_of(evalset.pair) if language is None else language_code(language)
    lexicon = Lexicon.of(_texts(evalset, chosen), tongue)
    shop = workshop or Workshop()
    tried, applied = Counter[int](), Counter[int]()
    blocks: list[Pairs] = []
    kept, seen = _kept(evalset, chosen, systems), 0
    for cells in _blocks(evalset, chosen, kept, task, needs_source):
        seen += len(cells)
        outputs = [output for _, _, output in cells]
        ask_ahead(outputs, perturbations, lexicon, seed=seed, draws=draws, cache=shop.cache)
        copies: list[tuple[int, int, str]] = []
        for at, output in enumerate(outputs):
            for attempt in draw(output, perturbations, lexicon, seed=seed, draws=draws):
                tried[attempt.perturbation] += 1
                if isinstance(attempt.result, Perturbed):
                    applied[attempt.perturbation] += 1
                    copies.append((at, attempt.perturbation, attempt.result.text))
        part = _part(shop, len(blocks) + 1)
        blocks.append(_judged(evalset, cells, copies, scorers, perturbations, part))
    if not blocks:
        raise InputError(
            "no output has all texts that are needed: its own, a reference, a source if a scorer reads it",
            remedy="See what the data hold: metaeval describe",
        )
    counts = tuple(Applied(str(p), tried[i], applied[i]) for i, p in enumerate(perturbations))
    pairs = joined(blocks)
    if not len(pairs):
        raise InputError(
            "no perturbation applies to any output" if not pairs.dropped else "no output has all its scores",
            remedy="Choose other perturbations, or name the language of the outputs with --language.",
        )
    notes = _notes(len(kept) * len(evalset.items) - seen, counts, lexicon)
    return TextPairs(pairs, counts, lexicon, chosen, notes)


def _notes(missing: int, counts: Sequence[Applied], lexicon: Lexicon) -> tuple[str, ...]:
    notes = []
    if missing:
        notes.append(f"outputs that count for nothing (no text, or nothing to compare with): {missing:,}")
    idle = [count.perturbation for count in counts if count.tried and not count.applied]
    if idle:
        unknown = "" if lexicon.language else "; the language of the outputs is not known: --language"
        notes.append(f"never applicable: {', '.join(idle)}{unknown}")
    return tuple(notes)


def _language_of(pair: str) -> str:
    """The language of the outputs as the pair says; empty where it says none."""
    try:
        return language_code(pair.partition("-")[2] or pair)
    except InputError:
        return ""


def _part(shop: Workshop, number: int) -> Workshop:
    """The workshop for one block, whose progress is told apart from that of the others."""
    tell = shop.progress
    if tell is None:
        return shop
    return replace(shop, progress=lambda what, done, total: tell(f"{what}, part {number}", done, total))


def _judged(
    evalset: EvalSet,
    cells: Sequence[tuple[int, int, Output]],
    copies: Sequence[tuple[int, int, str]],
    scorers: Sequence[Scorer],
    perturbations: Sequence[Perturbation],
    shop: Workshop,
) -> Pairs:
    outputs = [output for _, _, output in cells]
    segments = [Segment(o.text, o.reference, o.source) for o in outputs]
    segments += [Segment(text, outputs[at].reference, outputs[at].source) for at, _, text in copies]
    original = np.array([at for at, _, _ in copies], dtype=np.intp)
    found = np.zeros((len(copies), len(scorers)), dtype=np.int8)
    missing = np.zeros(len(copies), dtype=np.bool_)
    rows: dict[str, FloatArray] = {}
    for column, scorer in enumerate(scorers):
        if scorer.measured not in rows:
            rows[scorer.measured] = measure(scorer, segments, workshop=shop)
        found[:, column], lost = _compared(scorer, rows[scorer.measured], original, len(outputs))
        missing |= lost
    kept = ~missing
    systems, items = (np.array([cell[i] for cell in cells], dtype=np.intp) for i in (0, 1))
    return Pairs(
        metrics=tuple(map(str, scorers)),
        kinds=tuple(map(str, perturbations)),
        items=evalset.items,
        systems=evalset.systems,
        item=items[original][kept],
        system=systems[original][kept],
        kind=np.array([kind for _, kind, _ in copies], dtype=np.intp)[kept],
        verdict=found[kept],
        dropped=int(missing.sum()),
    )


def _compared(
    scorer: Scorer, rows: FloatArray, original: np.ndarray[tuple[int], np.dtype[np.intp]], outputs: int
) -> tuple[Verdicts, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Verdicts, and where a score is missing. Equal rows are a tie, whatever rounding makes of them."""
    scores = scorer.segment_scores(rows) * (-1.0 if scorer.direction == "lower" else 1.0)
    better, worse = scores[:outputs][original], scores[outputs:]
    missing = np.isnan(better) | np.isnan(worse)
    same = (rows[:outputs][original] == rows[outputs:]).all(axis=1)
    verdict = verdicts(np.where(missing, 0.0, better), np.where(missing, 0.0, worse))
    return np.where(same, 0, verdict).astype(np.int8), missing


def _kept(evalset: EvalSet, reference: str | None, systems: Patterns | None) -> list[str]:
    named = [system for system in evalset.systems if system in evalset.outputs and system != reference]
    if not named:
        raise InputError("the data hold no output texts", remedy="See what they hold: metaeval describe")
    return named if systems is None else matching(systems, named, "system with outputs")


def _blocks(
    evalset: EvalSet,
    reference: str | None,
    kept: Sequence[str],
    task: Task,
    needs_source: bool,
) -> Iterator[list[tuple[int, int, Output]]]:
    """Outputs with their place, item by item, so that those with one reference are together."""
    row = {system: i for i, system in enumerate(evalset.systems)}
    references = evalset.references.get(reference or "")
    block: list[tuple[int, int, Output]] = []
    for column, item in enumerate(evalset.items):
        against = "" if references is None else references[column]
        source = "" if evalset.source is None else evalset.source[column]
        if against is None or (needs_source and source is None):
            continue
        for system in kept:
            text = evalset.outputs[system][column]
            if text is not None:
                output = Output(text, item, system, against, source or "", task)
                block.append((row[system], column, output))
        if len(block) >= _BLOCK:
            yield block
            block = []
    if block:
        yield block


def _reference(evalset: EvalSet, scorers: Sequence[Scorer], wanted: str | None) -> str | None:
    if wanted is not None:
        if wanted not in evalset.references:
            raise InputError(f"there is no reference {wanted!r}", remedy=choices(wanted, evalset.references))
        return wanted
    if evalset.references:
        return next(iter(evalset.references))
    needing = [str(scorer) for scorer in scorers if "reference" in scorer.needs]
    if needing:
        raise InputError(
            f"{needing[0]} compares with a reference, and the data hold none",
            remedy="Add reference texts, or choose scorers that need none: metaeval scorers",
        )
    return None


def _needs_source(evalset: EvalSet, scorers: Sequence[Scorer]) -> bool:
    needing = [str(scorer) for scorer in scorers if "source" in scorer.needs]
    if needing and evalset.source is None:
        raise InputError(
            f"{needing[0]} reads sources, and the data hold none",
            remedy="Add source texts, or choose scorers that need none: metaeval scorers",
        )
    return bool(needing)


def _texts(evalset: EvalSet, reference: str | None) -> Iterator[str]:
    for system, texts in evalset.outputs.items():
        if system != reference:
            yield from (text for text in texts if text)
    if reference is not None:
        yield from (text for text in evalset.references[reference] if text)
