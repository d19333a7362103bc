"""How a transformer sentinel is trained."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The paper's hyperparameters (table 4) are the defaults.

    >>> Recipe().batch, Recipe().hidden
    (8, (512, 128))
    >>> Recipe(batch=0)
    Traceback (most recent call last):
    metaeval.errors.InputError: batch is 0, expected a number above 0
    """

    encoder: str = "xlm-roberta-large"
    """A model's name, or the folder that holds it."""
    learning_rate: float = 1e-6
    epochs: int = 1
    batch: int = 8
    accumulate: int = 2
    """Batches whose gradients are added up before each step."""
    dropout: float = 0.1
    hidden: tuple[int, ...] = (512, 128)
    longest: int = 512
    """Tokens beyond this are cut off."""
    patience: int = 0
    """Stop after so many checks of the held-out loss without a new best; 0 never stops early."""
    check_every: int = 500
    """Steps between two checkpoints, at which the held-out loss is looked at."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("learning_rate", "epochs", "batch", "accumulate", "longest", "check_every"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} is {getattr(self, name)}, expected a number above 0")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout is {self.dropout}, expected a share from 0 to below 1")
        if len(self.hidden) != 2 or min(self.hidden) < 1:
            raise InputError(f"hidden is {self.hidden}, expected two sizes of layers")
        for name in ("patience", "seed"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} is {getattr(self, name)}, expected a number from 0 up")
