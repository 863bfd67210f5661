"""Presets and settings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lane.base.errors import LaneError
from lane.base.rule import MOST_VARIABLES
from lane.models.config import ModelConfig
from lane.models.model import LaneModel
from lane.trainer.config import PRESETS, TrainConfig, build_config


def test_presets_are_valid_and_list_only_what_differs():
    fast = TrainConfig().model_dump()
    for name, changes in PRESETS.items():
        built = build_config(name)
        assert {key: getattr(built, key) for key in changes} == changes
        assert all(fast[key] != value for key, value in changes.items())


def test_the_paper_is_the_paper():
    paper = build_config("paper")
    assert (paper.optimizer, paper.composer_rate, paper.solver_rate) == ("adadelta", 0.1, 1.0)
    assert (paper.samples, paper.gamma, paper.entropy) == (10, 0.5, 0.1)
    assert (paper.product, paper.dense, paper.normalize, paper.explorers) == (False, False, False, 0)
    assert paper.epochs == (30, 30, 20, 10, 5)
    assert (paper.first_lesson, paper.enough, paper.development) == (3, 0.99, 0.2)
    assert (paper.candidates, paper.rounds, paper.attempts) == (1, 1, 1)


def test_settings_are_text_on_a_command_line():
    config = build_config(
        "fast", {"samples": "40", "entropy": "0.1", "product": "false", "constants": "never"}
    )
    assert (config.samples, config.entropy, config.product, config.constants) == (40, 0.1, False, "never")


def test_epochs_are_numbers_with_commas():
    assert build_config("fast", {"epochs": "30, 20,1"}).epochs == (30, 20, 1)
    assert build_config("paper", {"epochs": ""}).epochs == ()
    with pytest.raises(LaneError, match="setting epochs"):
        build_config("fast", {"epochs": "30,many"})


def test_settings_go_on_top_of_the_preset():
    assert build_config("paper", {"samples": 12}).samples == 12


@pytest.mark.parametrize(
    ("preset", "settings", "message"),
    [
        ("quick", {}, "no preset 'quick': the presets are fast, unaided, paper"),
        ("fast", {"sample": 1}, r"no setting 'sample'; did you mean 'samples'\? \(`lane-train settings`"),
        ("fast", {"zzz": 1}, r"no setting 'zzz' \("),
        ("fast", {"samples": "many"}, "setting samples: .*integer"),
        ("fast", {"samples": 1}, "setting samples: .*greater than or equal to 2"),
        ("fast", {"constants": "maybe"}, "setting constants: .*'never', 'always' or 'if-needed'"),
    ],
)
def test_what_is_wrong_is_named(preset, settings, message):
    with pytest.raises(LaneError, match=message):
        build_config(preset, settings)


def test_every_field_has_a_line_of_help():
    for name, field in TrainConfig.model_fields.items():
        assert field.description, name
        assert "\n" not in field.description
        assert field.description.endswith("."), name


@settings(deadline=None, max_examples=60)
@given(
    limits=st.fixed_dictionaries(
        {name: st.integers(1, 12) for name in ("span_limit", "variable_limit", "template_limit")}
    ),
    composer=st.booleans(),
    longest=st.tuples(st.integers(1, 70), st.integers(1, 70)),
)
def test_settings_that_validate_can_build_their_networks(limits, composer, longest):
    """For data of any length; the networks are small, for their size is not in question."""
    try:
        config = build_config("fast", {**limits, "composer": composer, "embedding": 2, "hidden": 2})
    except LaneError:
        return
    network = config.fitted_to(*longest).network(False)
    assert network.max_variables <= MOST_VARIABLES
    LaneModel(3, 3, network)


def test_without_the_composer_the_limits_grow_with_the_data():
    config = build_config("fast", {"composer": False})
    assert (config.fitted_to(9, 30).span_limit, config.fitted_to(9, 30).template_limit) == (10, 30)
    assert config.fitted_to(1, 1).template_limit == 2
    assert build_config().fitted_to(9, 30) == build_config()


@pytest.mark.parametrize("constants", [True, False])
def test_the_networks_get_their_part(constants):
    network = build_config("fast", {"hidden": 5, "span_limit": 4}).network(constants)
    assert network == ModelConfig(hidden=5, span_limit=4, constants=constants)


NUMBERS = [name for name, field in TrainConfig.model_fields.items() if field.annotation in (int, float)]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", ["nan", "inf", "-1", "1e300", "9" * 30, "9" * 400])
def test_a_number_that_no_training_can_take_is_refused_where_it_is_typed(name, value):
    """Some ended in a traceback of torch's, minutes later."""
    with pytest.raises(LaneError, match=f"^setting {name}: "):
        build_config("fast", {name: value})


@pytest.mark.parametrize("value", ["0", "3,-1", "3,9999999999", "x"])
def test_epochs_are_counts(value):
    with pytest.raises(LaneError, match=r"^setting epochs"):
        build_config("paper", {"epochs": value})
