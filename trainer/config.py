"""How to train: one flat, frozen, documented record; every field is also a `--set key=value`."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator

from lane.base.errors import LaneError
from lane.base.suggestion import did_you_mean
from lane.models.card import first_problem
from lane.models.config import ModelConfig, NetworkConfig

MOST = 10**9  # of anything that is counted: years of training


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
        2.5,
        ge=0.01,
        le=1000,
        description="Temperature of the explorers, which count only above the baseline.",
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
    gamma: float = Field(1.0, ge=0, le=1000, description="Weight of simplicity against similarity.")
    product: bool = Field(True, description="R_s * (1 + gamma * R_a) instead of R_s + gamma * R_a.")
    dense: bool = Field(
        True,
        description="R_a by the share of variables in a right side, not by right sides of variables only.",
    )
    word_penalty: float = Field(
        0.25, ge=0, le=0.5, description="Simplicity that a span loses for each word beyond its first."
    )
    simple_if_right: bool = Field(
        False, description="Whether simplicity counts only where the output is right, and is then added."
    )
    simple_alone: bool = Field(
        True,
        description="Whether a derivation without an expression of several words is simple, or not at all.",
    )
    whole: bool = Field(True, description="Whether commands that occur only alone must be recognised too.")
    strict: bool = Field(
        False,
        description="Whether there is no output, for any command, unless the check recognises its root.",
    )
    normalize: bool = Field(
        True, description="Divide advantages by their standard deviation for each example."
    )
    follow: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Share of last expressions that follow the gold, where it has 2 x words - 1 actions.",
    )
    baseline: Literal["example", "update"] = Field(
        "example",
        description="Whose mean reward an advantage is above: its example's, or the whole update's.",
    )

    # Gradient
    mean_decisions: bool = Field(
        False,
        description="Whether a derivation's decisions count on average, those of each network, or in sum.",
    )
    count_forced: bool = Field(
        False, description="Whether the check learns from spans that the limits recognise in any case."
    )
    even_entropy: bool = Field(
        False, description="Entropies relative to the largest possible, averaged for each kind of decision."
    )

    # Optimisation
    optimizer: Literal["adam", "adadelta"] = Field("adam", description="The optimiser of both networks.")
    composer_rate: float = Field(1e-3, gt=0, le=10, description="Learning rate of the Composer.")
    solver_rate: float = Field(
        2e-3, gt=0, le=10, description="Learning rate of the Solver (differential update)."
    )
    clip: float = Field(1.0, gt=0, le=1e6, description="Largest gradient norm of each network.")
    clip_by: Literal["norm", "largest"] = Field(
        "norm", description="What `clip` bounds: the norm of a gradient, or its largest entry."
    )
    weight_decay: float = Field(0.0, ge=0, le=1, description="Pull of the weights towards 0.")
    entropy: float = Field(0.03, ge=0, le=100, description="Bonus for the entropy of each decision.")
    entropy_lessons: int = Field(
        3, ge=1, le=MOST, description="The bonus halves with each lesson after this one."
    )
    entropy_floor: float = Field(
        0.0, ge=0, le=100, description="The least that the bonus comes to by halving."
    )

    # Lessons
    curriculum: bool = Field(True, description="Lessons by length; without, all lengths from the start.")
    first_lesson: int = Field(
        1, ge=1, le=MOST, description="Words of the first lesson, where it is one of epochs."
    )
    epochs: tuple[Annotated[int, Field(ge=1, le=MOST)], ...] = Field(
        (),
        description="Lessons of shuffled epochs, at most so many each (30,20), later ones one; empty: drawn.",
    )
    most_epochs: int = Field(
        300, ge=1, le=MOST, description="Epochs in all after which an attempt has stalled."
    )
    enough: float = Field(
        0.99, gt=0, le=1, description="Accuracy on development pairs that ends a lesson of epochs."
    )
    development: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="Share of the pairs that only end lessons of epochs, if there are hundreds.",
    )
    development_words: int = Field(
        4,
        ge=0,
        le=MOST,
        description="Development pairs of up to this many words are learned from all the same.",
    )
    evaluate_every: int = Field(10, ge=1, le=MOST, description="Updates between greedy evaluations.")
    evaluate_most: int = Field(2000, ge=1, le=MOST, description="Most pairs in such an evaluation.")
    patience: int = Field(
        16, ge=1, le=MOST, description="Evaluations without gain in simplicity that end a lesson."
    )
    sure: float = Field(
        0.5, ge=0, le=1, description="Share of samples that must be right before the next lesson."
    )
    stall: int = Field(
        40, ge=1, le=MOST, description="Evaluations without gain in accuracy that end an attempt."
    )
    most_updates: int = Field(
        1_000_000, ge=1, le=MOST, description="Updates after which an attempt has stalled."
    )
    misfits: float = Field(
        0.05,
        ge=0,
        lt=0.5,
        description="Share of pairs that may be set aside as misfits.",
    )
    set_aside: float = Field(
        0.25,
        ge=0,
        lt=0.5,
        description="Share of pairs that may be left out because rules read off the others contradict them.",
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
        le=MOST,
        description="Most evaluations in which a model that fits still learns to follow its own rules.",
    )
    new_places: bool = Field(
        True, description="Whether these evaluations place words and rules as the comparison does."
    )
    confirmations: int = Field(
        4, ge=1, le=MOST, description="Evaluations in a row without a mistake that end its consolidation."
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
    recombined: int = Field(
        4000, ge=1, le=1_000_000, description="New commands on which candidates are compared."
    )

    @field_validator("epochs", mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        """`30,20` as the command line has it."""
        return [part for part in value.split(",") if part.strip()] if isinstance(value, str) else value

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
    "mean_decisions": "Gradient",
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
        "set_aside": 0.0,
        "samples": 20,
        "entropy": 0.15,
        "evaluate_every": 25,
        "patience": 8,
        "stall": 16,
        "consolidations": 12,
        "new_places": False,
        "confirmations": 1,
    },
    # The published method, as the paper and its code have it: one model from one seed, however it ends.
    "paper": {
        "embedding": 128,
        "hidden": 128,
        "constants": "always",
        "deleting": True,
        "orthogonal": True,
        "bounded": True,
        "end_mark": True,
        "state_only": True,
        "dropout": 0.1,
        "shuffled": True,
        "examples": 4,
        "explorers": 0.0,
        "focus": 0.0,
        "newest": 0.0,
        "induction": False,
        "gamma": 0.5,
        "product": False,
        "dense": False,
        "word_penalty": 0.0,
        "simple_if_right": True,
        "simple_alone": False,
        "strict": True,
        "normalize": False,
        "baseline": "update",
        "mean_decisions": True,
        "count_forced": True,
        "even_entropy": True,
        "optimizer": "adadelta",
        "composer_rate": 0.1,
        "solver_rate": 1.0,
        "clip": 0.5,
        "clip_by": "largest",
        "weight_decay": 1e-4,
        "entropy": 0.1,
        "entropy_lessons": 1,
        "entropy_floor": 1e-4,
        "first_lesson": 3,
        "epochs": (30, 30, 20, 10, 5),
        "development": 0.2,
        "evaluate_every": 250,
        "evaluate_most": 1000,
        "sure": 0.0,
        "stragglers": 0.0,
        "set_aside": 0.0,
        "consolidations": 0,
        "new_places": False,
        "candidates": 1,
        "rounds": 1,
        "attempts": 1,
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
