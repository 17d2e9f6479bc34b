"""Configurations: every field is checked, and files read and write what was meant."""

from __future__ import annotations

import re
from dataclasses import asdict, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.errors import InputError, MorebitsError, UnknownName
from morebits.train import augmenting, toml
from morebits.train.config import AUGMENTATIONS, TrainConfig

CONFIGS = st.builds(
    TrainConfig,
    model=st.text(min_size=1),
    bits=st.none() | st.integers(1, 10**6),
    jnd=st.none() | st.booleans(),
    lr=st.floats(1e-12, 1e12),
    clip=st.none() | st.floats(1e-9, 1e9),
    augmentations=st.lists(st.sampled_from(AUGMENTATIONS)),
    seed=st.integers(0, 2**62),
)


@given(CONFIGS)
def test_toml_reads_back(config):
    import tomllib

    assert toml.parse(tomllib.loads(toml.write(config))).config == config


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("lr", 0, "lr is 0: give a number above 0"),
        ("lr", float("nan"), "lr is nan: give a number above 0"),
        ("lr", "fast", "lr is 'fast': give a number above 0"),
        ("clip", -1.0, "clip is -1.0: give a number above 0"),
        ("lambda_image", -0.1, "lambda_image is -0.1: give a number of at least 0"),
        ("batch", 2.0, "batch is 2.0: give a whole number of at least 1"),
        ("batch", True, "batch is True: give a whole number of at least 1"),
        ("bits", 0, "bits is 0: give a whole number of at least 1"),
        ("size", 4, "size is 4: give a whole number of at least 8"),
        ("jnd", "yes", "jnd is 'yes': give true or false"),
        ("resize", None, "resize is None: give true or false"),
        ("data", "", "data is '': give a text"),
        ("image_loss", "ssim", "image_loss is 'ssim': use one of mse, yuv"),
        ("strategy", "tp", "strategy is 'tp': use one of ddp, fsdp"),
        ("precision", 16, "precision is 16: use one of 32, bf16, 64"),
        ("augmentations", "crop", "augmentations is 'crop': give a list"),
        ("scaling", (1.0,), "scaling is (1.0,): give the first and the last value, or none"),
        ("scaling", (1.0, 0.2), "scaling_epochs is (): give as many as scaling has"),
        ("devices", 3, "batch is 16: give a multiple of the 3 devices"),
    ],
)
def test_wrong_values(field, value, expected):
    with pytest.raises(InputError, match=re.escape(expected)):
        TrainConfig(**{field: value})


def test_a_precision_may_be_a_number():
    """As `--set precision=32` gives it."""
    assert toml.read("chunkyseal", ["precision=32"]).config == replace(
        toml.read("chunkyseal").config, precision="32"
    )


def test_fields_that_do_not_go_together():
    with pytest.raises(InputError, match="give the earlier one first"):
        TrainConfig(scaling=(1, 0.2), scaling_epochs=(4, 2))
    with pytest.raises(InputError, match="in shards with strategy fsdp"):
        TrainConfig(balance=True, strategy="fsdp")
    for more in ({"clip": 0.1}, {"devices": 2}):
        with pytest.raises(InputError, match="need all gradients at once"):
            TrainConfig(early_updates=True, **more)


def test_unknown_augmentation():
    with pytest.raises(UnknownName, match="unknown augmentation 'jpg': use one of identity, flip"):
        TrainConfig(augmentations=("jpg",))


def test_the_table_of_augmentations_has_every_name():
    assert tuple(augmenting.TABLE) == AUGMENTATIONS


@pytest.mark.parametrize(
    ("name", "near"), [("learning_rate", "lr"), ("lamda_image", "lambda_image"), ("bit", "bits")]
)
def test_unknown_fields_are_refused_with_the_nearest(name, near):
    with pytest.raises(InputError) as caught:
        toml.parse({name: 1})
    assert caught.value.name == name
    assert caught.value.expected.startswith("there is no such field, the nearest is ")
    if name != "learning_rate":  # no letters of it are near
        assert caught.value.expected.endswith(f" {near}")


class TestFiles:
    def test_read_and_change(self, tmp_path):
        path = tmp_path / "a.toml"
        path.write_text('lr = 0.1\nmodel = "linear"\n[sweep]\nlr = [1, 2]\nlambda_image = [3, 4]\n')
        found = toml.read(path, ["batch=8", "data=my photos", "augmentations=['flip']"])
        assert (found.config.lr, found.config.batch, found.config.data) == (0.1, 8, "my photos")
        assert found.config.augmentations == ("flip",)
        names = [name for name, _ in found.runs()]
        assert names == [
            "lr=1,lambda_image=3", "lr=1,lambda_image=4", "lr=2,lambda_image=3",
            "lr=2,lambda_image=4",
        ]  # fmt: skip
        assert [config.lr for _, config in found.runs()] == [1, 1, 2, 2]

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("lr = ", "cannot be read"),
            ("lr = 0.1\n[sweep]\nlr = 0.2", r"sweep\.lr is 0\.2: give a list of values"),
            ("lr = 0.1\n[sweep]\nlr = [0]", "lr is 0: give a number above 0"),
            ("[sweep]\nrl = [1]", "rl is .*: there is no such field"),
            ("sweep = 3", "sweep is 3: give a table"),
        ],
    )
    def test_wrong_files(self, tmp_path, text, problem):
        path = tmp_path / "a.toml"
        path.write_text(text)
        with pytest.raises(MorebitsError, match=problem):
            toml.read(path)

    def test_wrong_change(self):
        with pytest.raises(InputError, match="give FIELD=VALUE, such as"):
            toml.read("chunkyseal", ["lr"])

    def test_a_folder_is_no_file(self, tmp_path):
        with pytest.raises(InputError, match=r"Is a directory.*give a TOML file or a recipe"):
            toml.read(tmp_path)


def test_every_field_is_documented(root):
    """In the class, and in the page for people."""
    page = (root / "docs" / "train.md").read_text()
    for each in fields(TrainConfig):
        assert f"`{each.name}`" in (TrainConfig.__doc__ or ""), each.name
        assert f"| `{each.name}` |" in page, each.name


def test_the_page_has_the_defaults(root):
    page = (root / "docs" / "train.md").read_text()
    for name, value in asdict(TrainConfig()).items():
        shown = "–" if value in (None, ()) else toml.shown(value)
        assert f"| `{name}` | {shown} |" in page, name
