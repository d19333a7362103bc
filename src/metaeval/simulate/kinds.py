"""The kinds of metrics that can be simulated: what each one sees, and what it adds of its own."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt

from metaeval.errors import InputError, choices
from metaeval.scores import REFERENCE_FREE


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A metric as a sum of parts, in units of latent quality; every part but ``quality`` is a fault.

    score = centre + scale * (quality * q + source_length * L + output_length * O + item_effect * own per item
    + system_effect * own per system + document_noise * own per document and system + shared * common to all
    metrics that share + noise * own per cell), cut into ``levels`` where there are levels. L and O are the
    standardised log lengths of source and output.

    >>> Kind(name="Mine", quality=1.0, noise=0.5, shared=1.2).residual
    1.3
    """

    name: str
    reference: str = "refA"
    """The reference it uses, or ``src`` where it uses none."""
    quality: float = 0.0
    source_length: float = 0.0
    output_length: float = 0.0
    item_effect: float = 0.0
    system_effect: float = 0.0
    document_noise: float = 0.0
    shared: float = 0.0
    noise: float = 0.0
    levels: int = 0
    """How many different scores there can be; 0 for a continuous metric."""
    step: float = 1.0
    """The width of a level, in units of latent quality."""
    centre: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        sizes = (self.item_effect, self.system_effect, self.document_noise, self.shared, self.noise)
        weights = (self.quality, self.source_length, self.output_length, self.centre)
        if not self.name:
            raise InputError("a simulated metric has an empty name", remedy="Name it.")
        if not all(isfinite(value) for value in (*sizes, *weights, self.step, self.scale)):
            raise InputError(f"the simulated metric {self.name} has a part that is not a number")
        if min(sizes) < 0 or self.step <= 0 or self.scale <= 0 or self.levels < 0 or self.levels == 1:
            raise InputError(
                f"the simulated metric {self.name} has a part out of range",
                remedy="Effects and noise are 0 or more, step and scale more than 0, levels 0 or at least 2.",
            )

    @property
    def key(self) -> str:
        """The name of the variant: ``Neural-refA``."""
        return f"{self.name}-{self.reference}"

    @property
    def residual(self) -> float:
        """Standard deviation of what it sees in a cell that is neither quality nor length."""
        return sqrt(self.noise**2 + self.shared**2 + self.document_noise**2)

    @property
    def per_unit(self) -> float:
        """Points of its score for a unit of latent quality; approximate for a discrete metric."""
        return self.scale / self.step if self.levels else self.scale


KINDS: dict[str, Kind] = {
    "unbiased": Kind(
        name="Neural", quality=1.0, noise=0.7, shared=0.4, item_effect=0.6, system_effect=0.08,
        centre=0.78, scale=0.06,
    ),
    "lexical": Kind(
        name="Lexical", quality=0.7, noise=1.4, shared=0.3, item_effect=0.9, system_effect=0.2,
        centre=52.0, scale=8.0,
    ),
    "discrete": Kind(
        name="Coarse", quality=1.0, noise=0.6, shared=0.4, item_effect=0.5, system_effect=0.1,
        levels=6, step=0.9, scale=20.0,
    ),
    "qe_length": Kind(
        name="QE", reference=REFERENCE_FREE, quality=0.9, source_length=-1.0, noise=0.9, shared=0.4,
        item_effect=0.6, system_effect=0.12, centre=0.70, scale=0.07,
    ),
    "length_biased": Kind(
        name="Longish", quality=1.0, output_length=1.0, noise=0.9, shared=0.4, item_effect=0.6,
        system_effect=0.1, centre=70.0, scale=7.0,
    ),
    "constant": Kind(name="Constant", centre=1.0),
    "random": Kind(name="Random", reference=REFERENCE_FREE, noise=1.0, centre=0.5, scale=0.2),
    "random_system": Kind(
        name="Favourite", reference=REFERENCE_FREE, system_effect=1.0, centre=0.5, scale=0.2
    ),
}  # fmt: skip
"""What each kind is called and made of. The two length weights are multiplied by the knobs ``source_lean``
and ``length_bias``."""


def kind(wanted: object) -> Kind:
    """A kind by its name in :data:`KINDS`; a declared one is itself.

    >>> kind("lexical").key
    'Lexical-refA'
    """
    if isinstance(wanted, Kind):
        return wanted
    if not isinstance(wanted, str) or wanted not in KINDS:
        raise InputError(f"there is no kind of metric {wanted!r}", remedy=choices(str(wanted), KINDS))
    return KINDS[wanted]
