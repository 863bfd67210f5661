"""How to train: one flat, frozen, documented record; every field is also a `--set key=value`."""

from typing import Any, Literal, Self

from pydantic import Field, ValidationError

from lane.base.errors import LaneError
from lane.base.suggestion import did_you_mean
from lane.models.card import first_problem
from lane.models.config import ModelConfig, NetworkConfig


class TrainConfig(NetworkConfig):
    """The recipe. Defaults are the preset `fast`; PRESETS lists what others change."""

    # The networks; the other settings of them are those of NetworkConfig.
    constants: Literal["never", "always", "if-needed"] = Field(
        "if-needed",
        description="Whether rules with variables may contain actions; if-needed: only if nothing else fits.",
    )

    # Sampling
    examples: int = Field(64, ge=1, le=65_536, description="Examples in an update.")
    samples: int = Field(10, ge=2, le=1024, description="Derivations sampled for each example.")
    explorers: float = Field(
        0.3, ge=0, lt=1, description="Share of the samples drawn off-policy, to explore."
    )
    explorer_temperature: float = Field(
        2.5, gt=0, description="Temperature of the explorers, which count only above the baseline."
    )
    focus: float = Field(
        0.5, ge=0, le=1, description="Share of the examples drawn by deficit: wrong, or not yet simple."
    )
    newest: float = Field(
        0.25, ge=0, le=1, description="Share of the examples drawn from the length that the lesson added."
    )
    induction: bool = Field(
        True, description="Whether rules that are read off the pairs steer the explorers and set the limits."
    )

    # Reward
    gamma: float = Field(1.0, ge=0, description="Weight of simplicity against similarity.")
    product: bool = Field(True, description="R_s * (1 + gamma * R_a) instead of R_s + gamma * R_a.")
    dense: bool = Field(
        True,
        description="R_a by the share of variables in a right side, not by right sides of variables only.",
    )
    word_penalty: float = Field(
        0.25, ge=0, le=0.5, description="Simplicity that a span loses for each word beyond its first."
    )
    whole: bool = Field(True, description="Whether commands that occur only alone must be recognised too.")
    normalize: bool = Field(
        True, description="Divide advantages by their standard deviation for each example."
    )

    # Optimisation
    optimizer: Literal["adam", "adadelta"] = Field("adam", description="The optimiser of both networks.")
    composer_rate: float = Field(1e-3, gt=0, description="Learning rate of the Composer.")
    solver_rate: float = Field(2e-3, gt=0, description="Learning rate of the Solver (differential update).")
    clip: float = Field(1.0, gt=0, description="Largest gradient norm of each network.")
    entropy: float = Field(0.03, ge=0, description="Bonus for the entropy of each decision.")
    entropy_lessons: int = Field(3, ge=1, description="The bonus halves with each lesson after this one.")

    # Lessons
    curriculum: bool = Field(True, description="Lessons by length; without, all lengths from the start.")
    evaluate_every: int = Field(10, ge=1, description="Updates between greedy evaluations.")
    evaluate_most: int = Field(2000, ge=1, description="Most pairs in such an evaluation.")
    patience: int = Field(16, ge=1, description="Evaluations without gain in simplicity that end a lesson.")
    sure: float = Field(
        0.5, ge=0, le=1, description="Share of samples that must be right before the next lesson."
    )
    stall: int = Field(40, ge=1, description="Evaluations without gain in accuracy that end an attempt.")
    most_updates: int = Field(1_000_000, ge=1, description="Updates after which an attempt has stalled.")
    misfits: float = Field(
        0.05,
        ge=0,
        lt=0.5,
        description="Share of pairs that may be set aside as misfits.",
    )
    stragglers: float = Field(
        0.25,
        ge=0,
        lt=0.5,
        description="Share of a lesson that may be left behind at a stall, where some pairs have no rules.",
    )

    consolidations: int = Field(
        30,
        ge=0,
        description="Most evaluations in which a model that fits still learns to follow its own rules.",
    )
    new_places: bool = Field(
        True, description="Whether these evaluations place words and rules as the comparison does."
    )
    confirmations: int = Field(
        4, ge=1, description="Evaluations in a row without a mistake that end its consolidation."
    )

    # The search
    candidates: int = Field(2, ge=1, le=16, description="Independent models that must agree.")
    rounds: int = Field(
        3,
        ge=1,
        le=16,
        description="Most rounds of candidates; a round that does not agree is followed by another.",
    )
    attempts: int = Field(4, ge=1, le=64, description="Attempts of one candidate, each from a fresh seed.")
    recombined: int = Field(4000, ge=1, description="New commands on which candidates are compared.")

    def network(self, constants: bool | tuple[int, ...]) -> ModelConfig:
        """The settings of the networks, for a model with these constants."""
        return ModelConfig(
            **{name: getattr(self, name) for name in NetworkConfig.model_fields}, constants=constants
        )

    def fitted_to(self, words: int, actions: int) -> Self:
        """The settings for data with at most this many words in a command and actions in an output.

        Without the Composer, the Solver faces whole commands and must have room for them.
        """
        if self.composer:
            return self
        room = max(2 * (self.variable_limit - 1), min(64, actions))
        return self.model_copy(update={"span_limit": min(64, 1 + words), "template_limit": room})


# Where each group of settings begins, for `lane-train settings`.
GROUPS = {
    "embedding": "Networks",
    "examples": "Sampling",
    "gamma": "Reward",
    "optimizer": "Optimisation",
    "curriculum": "Lessons",
    "candidates": "Search",
}

PRESETS: dict[str, dict[str, Any]] = {
    "fast": {},
    # Nothing is read off the pairs: all is found by drawing, which takes more draws and more entropy.
    "unaided": {
        "induction": False,
        "stragglers": 0.0,
        "samples": 20,
        "entropy": 0.15,
        "evaluate_every": 25,
        "patience": 8,
        "stall": 16,
        "consolidations": 12,
        "new_places": False,
        "confirmations": 1,
    },
    # The numbers of the paper; one candidate, since it has no agreement.
    "paper": {
        "embedding": 128,
        "hidden": 128,
        "constants": "always",
        "deleting": True,
        "explorers": 0.0,
        "induction": False,
        "stragglers": 0.0,
        "focus": 0.0,
        "newest": 0.0,
        "gamma": 0.5,
        "product": False,
        "dense": False,
        "word_penalty": 0.0,
        "whole": False,
        "normalize": False,
        "optimizer": "adadelta",
        "composer_rate": 0.1,
        "solver_rate": 1.0,
        "entropy": 0.1,
        "entropy_lessons": 1,
        "evaluate_every": 25,
        "patience": 8,
        "sure": 0.0,
        "consolidations": 0,
        "new_places": False,
        "confirmations": 1,
        "candidates": 1,
        "rounds": 1,
        "attempts": 1,
        "stall": 1_000_000,
    },
}


def build_config(preset: str = "fast", settings: dict[str, Any] | None = None) -> TrainConfig:
    """A preset with the user's settings on top; a wrong key or value is an error that names the remedy."""
    if preset not in PRESETS:
        raise LaneError(f"no preset {preset!r}: the presets are {', '.join(PRESETS)}")
    settings = settings or {}
    for key in settings:
        if key not in TrainConfig.model_fields:
            hint = did_you_mean(key, TrainConfig.model_fields)
            raise LaneError(f"no setting {key!r}{hint} (`lane-train settings` lists them)")
    try:
        return TrainConfig(**{**PRESETS[preset], **settings})
    except ValidationError as error:
        raise LaneError(f"setting {first_problem(error)}") from None
