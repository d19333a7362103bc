"""The model: an encoder, its first token's embedding, two Tanh layers with dropout, a linear output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.errors import InputError
from metaeval.probes.sentinel.neural.libraries import load
from metaeval.probes.sentinel.neural.recipe import Recipe
from metaeval.progress import Progress
from metaeval.scores import FloatArray

PREDICT_BATCH = 32


@dataclass(frozen=True, eq=False, slots=True)
class TransformerRegressor:
    """A regressor from text to score; ``encoder`` and ``head`` are torch modules and learn in place."""

    recipe: Recipe
    tokenizer: Any
    encoder: Any
    head: Any
    device: str

    @classmethod
    def new(cls, recipe: Recipe, *, weights: Path | None = None) -> TransformerRegressor:
        """The encoder as it was published, and a head with random weights that ``recipe.seed`` draws.

        With ``weights``, a folder written by :meth:`save`, nothing is random and only that folder is read.
        """
        torch, transformers = load("torch"), load("transformers")
        source = recipe.encoder if weights is None else str(weights / "encoder")
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(source)
            encoder = transformers.AutoModel.from_pretrained(source)
        except Exception as error:  # whatever a damaged file makes the library raise
            raise InputError(
                f"the encoder {source!r} cannot be loaded: {str(error).partition(chr(10))[0]}",
                remedy="Name a folder that holds it, or a model that can be reached.",
            ) from error
        device = "cuda" if torch.cuda.is_available() else "cpu"
        with torch.random.fork_rng():
            torch.manual_seed(recipe.seed)
            head = make_head(int(encoder.config.hidden_size), recipe)
        return cls(recipe, tokenizer, encoder.to(device), head.to(device), device)

    @property
    def parameters(self) -> list[Any]:
        """All weights, in an order that does not change."""
        return [*self.encoder.parameters(), *self.head.parameters()]

    def forward(self, texts: Sequence[str], *, mixed: bool = False) -> Any:
        """Scores as a tensor; with ``mixed`` precision, which training may use, where the device has it."""
        torch = load("torch")
        half = half_precision(self.device) if mixed else None
        given = self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.longest, return_tensors="pt"
        ).to(self.device)
        with torch.autocast(self.device, dtype=half, enabled=half is not None):
            first = self.encoder(**given).last_hidden_state[:, 0]
            return self.head(first).squeeze(-1).float()

    @property
    def longest(self) -> int:
        """The tokens that recipe and encoder both allow."""
        return min(self.recipe.longest, int(self.tokenizer.model_max_length))

    def train(self, training: bool) -> None:
        """Dropout on or off."""
        self.encoder.train(training)
        self.head.train(training)

    def predict(self, texts: Sequence[str], *, progress: Progress | None = None) -> FloatArray:
        """The score of each text, in full precision, so that no score is tied by rounding.

        Texts of like length share a batch, so that little is padding.
        """
        torch = load("torch")
        self.train(False)
        order = np.argsort([len(text) for text in texts], kind="stable")
        found = np.zeros(len(texts))
        with torch.inference_mode():
            for start in range(0, len(order), PREDICT_BATCH):
                if progress is not None:
                    progress("scoring texts", start, len(order))
                rows = order[start : start + PREDICT_BATCH]
                found[rows] = self.forward([texts[i] for i in rows]).cpu().numpy()
        return found

    def save(self, path: Path) -> None:
        """A folder: the encoder as transformers writes it, the head as safetensors, the recipe as JSON."""
        from metaeval.probes.sentinel.neural.storage import save_model

        save_model(self, path)

    def described(self) -> dict[str, Any]:
        """The recipe, ready for JSON."""
        return asdict(self.recipe)


def half_precision(device: str) -> Any | None:
    """bfloat16 where a GPU has it; float16 would need the loss scaled, and a scale in each checkpoint."""
    torch = load("torch")
    return torch.bfloat16 if device == "cuda" and torch.cuda.is_bf16_supported() else None


def make_head(size: int, recipe: Recipe) -> Any:
    """Perrella et al. (2024), appendix B: s = W_o h2 + b_o with h = Dropout(Tanh(W e + b)), twice."""
    nn = load("torch").nn
    first, second = recipe.hidden
    return nn.Sequential(
        *(nn.Linear(size, first), nn.Tanh(), nn.Dropout(recipe.dropout)),
        *(nn.Linear(first, second), nn.Tanh(), nn.Dropout(recipe.dropout)),
        nn.Linear(second, 1),
    )
