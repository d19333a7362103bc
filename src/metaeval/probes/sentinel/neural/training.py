"""The loop: squared error, RAdam, checkpoints from which training runs on as if it had never stopped.

A text counts as often as it was rated, as it would if each of its ratings were an example of its own.

The order of the examples and the dropout of each step follow from the seed and the number of the step alone:
a checkpoint need not hold the state of a random generator, and the caller's is left as it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.probes.sentinel.examples import Examples
from metaeval.probes.sentinel.neural.libraries import load
from metaeval.probes.sentinel.neural.network import TransformerRegressor
from metaeval.probes.sentinel.neural.recipe import Recipe
from metaeval.probes.sentinel.neural.storage import load_checkpoint, save_checkpoint
from metaeval.progress import Progress
from metaeval.scores import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Trained:
    """The model, and the loss of each step."""

    model: TransformerRegressor
    losses: tuple[float, ...]
    held_out: tuple[float, ...]
    """The held-out loss at each check."""
    stopped_early: bool


def train(
    examples: Examples,
    recipe: Recipe | None = None,
    *,
    start: TransformerRegressor | None = None,
    held_out: Examples | None = None,
    checkpoint: Path | None = None,
    stop_after: int | None = None,
    progress: Progress | None = None,
) -> Trained:
    """Train on the examples, or go on from ``checkpoint`` if that folder is there.

    Args:
        start: the model to train further, in place: the paper trains on direct assessments, then on MQM.
            Its encoder and head stay what they are, whatever the recipe says of them.
        held_out: examples for early stopping, see ``recipe.patience``.
        checkpoint: a folder, written every ``recipe.check_every`` steps and at the end.
        stop_after: end the call after so many steps in all, as an interrupt would; a later call goes on.
    """
    chosen = recipe or (start.recipe if start is not None else Recipe())
    if start is not None:
        made = start.recipe
        chosen = replace(chosen, encoder=made.encoder, hidden=made.hidden, dropout=made.dropout)
    torch = load("torch")
    digest = fingerprint(examples, chosen)
    model, memory, state = _begin(chosen, start, checkpoint, digest)
    optimizer = torch.optim.RAdam(model.parameters, lr=chosen.learning_rate)
    if memory:
        optimizer.load_state_dict({**optimizer.state_dict(), "state": memory})
    steps = list(batches(len(examples), chosen))
    weights = examples.weights / examples.weights.mean()
    while state["step"] < len(steps) and not state["stopped"]:
        if stop_after is not None and state["step"] >= stop_after:
            break
        if progress is not None:
            progress("training", state["step"], len(steps))
        rows = steps[state["step"]]
        state["losses"].append(_step(model, optimizer, examples, weights, rows, state["step"]))
        state["step"] += 1
        if state["step"] % chosen.check_every == 0 or state["step"] == len(steps):
            _look(model, held_out, state, chosen)
            if checkpoint is not None:
                save_checkpoint(model, optimizer, state, checkpoint)
    return Trained(model, tuple(state["losses"]), tuple(state["held_out"]), state["stopped"])


def batches(count: int, recipe: Recipe) -> Iterator[list[NDArray[np.intp]]]:
    """The rows of each step: ``accumulate`` batches, in an order of its own in each epoch.

    >>> [[len(b) for b in step] for step in batches(10, Recipe(batch=4, accumulate=2))]
    [[4, 4], [2]]
    """
    for epoch in range(recipe.epochs):
        order = np.random.default_rng([recipe.seed, 8, epoch]).permutation(count)
        cut = [order[at : at + recipe.batch] for at in range(0, count, recipe.batch)]
        for at in range(0, len(cut), recipe.accumulate):
            yield cut[at : at + recipe.accumulate]


def fingerprint(examples: Examples, recipe: Recipe) -> str:
    """What a checkpoint must have been trained on to be gone on from."""
    held = hashlib.sha256(repr(asdict(recipe)).encode())
    for text in examples.texts:
        held.update(text.encode("utf-8", "surrogatepass") + b"\0")
    held.update(examples.scores.tobytes() + examples.weights.tobytes())
    return held.hexdigest()


def _begin(
    recipe: Recipe, start: TransformerRegressor | None, checkpoint: Path | None, digest: str
) -> tuple[TransformerRegressor, dict[int, dict[str, Any]], dict[str, Any]]:
    if checkpoint is not None and checkpoint.exists():
        model, memory, state = load_checkpoint(checkpoint)
        if state.get("digest") != digest:
            raise InputError(
                "is a checkpoint of other data or another recipe",
                path=checkpoint,
                remedy="Remove it to begin anew, or name another folder.",
            )
        return model, memory, state
    model = TransformerRegressor.new(recipe) if start is None else replace(start, recipe=recipe)
    return model, {}, {"digest": digest, "step": 0, "losses": [], "held_out": [], "stopped": False}


def _step(
    model: TransformerRegressor,
    optimizer: Any,
    examples: Examples,
    weights: FloatArray,
    rows: list[NDArray[np.intp]],
    step: int,
) -> float:
    """One step over all its batches; the loss is the mean squared error over its examples."""
    torch = load("torch")
    model.train(True)
    optimizer.zero_grad()
    total, count = 0.0, sum(map(len, rows))
    with torch.random.fork_rng():
        torch.manual_seed(int(np.random.SeedSequence([model.recipe.seed, 9, step]).generate_state(1)[0]))
        for chosen in rows:
            wanted, weight = (
                torch.tensor(part[chosen], dtype=torch.float32, device=model.device)
                for part in (examples.scores, weights)
            )
            scored = model.forward([examples.texts[i] for i in chosen], mixed=True)
            error = (weight * (scored - wanted).square()).sum() / count
            error.backward()
            total += float(error.detach())
    optimizer.step()
    return total


def _look(
    model: TransformerRegressor, held_out: Examples | None, state: dict[str, Any], recipe: Recipe
) -> None:
    """The held-out loss, and whether it has not fallen for too long."""
    if held_out is None:
        return
    errors = (model.predict(held_out.texts) - held_out.scores) ** 2
    state["held_out"].append(float(np.average(errors, weights=held_out.weights)))
    since = len(state["held_out"]) - 1 - int(np.argmin(state["held_out"]))
    state["stopped"] = bool(recipe.patience and since >= recipe.patience)
