"""What a training run is: one frozen set of fields, each checked when it is made."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from morebits.errors import InputError, UnknownName

#: Data that needs no folder.
BUILT_IN = ("gray", "synthetic")

#: Every augmentation that `train.augmenting` knows, in the order of the published list.
AUGMENTATIONS = (
    "identity", "flip", "resize", "crop", "rotate", "perspective", "jpeg", "soft-jpeg",
    "blur", "median", "brightness", "contrast", "saturation", "hue",
)  # fmt: skip

_CHOICES = {
    "image_loss": ("mse", "yuv"),
    "discriminator": ("luma", "rgb"),
    "accelerator": ("auto", "cpu", "cuda"),
    "strategy": ("ddp", "fsdp"),
    "precision": ("32", "bf16", "64"),
}
#: Least values of the whole numbers.
_WHOLE = {
    "bits": 1, "size": 8, "workers": 0, "batch": 1, "epochs": 1, "steps_per_epoch": 1,
    "seed": 0, "adversarial_start": 0, "chained": 1, "devices": 1, "validate_every": 1,
    "validation": 1, "samples": 0, "log_every": 1,
}  # fmt: skip
#: Least values of the other numbers, and whether the least one itself is allowed.
_NUMBERS = {
    "lr": (0, False), "min_lr": (0, True), "warmup_epochs": (0, True), "weight_decay": (0, True),
    "clip": (0, False), "lambda_message": (0, True), "lambda_image": (0, True),
    "lambda_adversarial": (0, True),
}  # fmt: skip
_FLAGS = ("jnd", "resize", "balance", "checkpoint_activations", "early_updates")
_WORDS = ("model", "data", "validation_data")
#: Fields that may be left out, and are then None.
_OPTIONAL = ("bits", "jnd", "clip", "validation_data")


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Every knob of a run; what is left out has the value shown here.

    Network: `model` is the name of a card or a path to one; `bits` the length of the message
    (None: the card's); `jnd` whether the perceptual mask is on (None: the card's).

    Pictures: `data` is "gray" (one gray picture), "synthetic" (coloured noise) or a folder;
    `size` pixels a side are cut out at random, after scaling the short side to `size` if
    `resize`; `workers` processes decode. `validation_data` is a folder of its own, None: other
    cuts of `data`; `validation` pictures of it are tried every `validate_every` epochs, and
    `samples` of them are kept as pictures.

    Length: `epochs` of `steps_per_epoch` steps with `batch` pictures on all devices together;
    `seed` is where all randomness comes from.

    Optimiser (AdamW): the rate rises linearly to `lr` for `warmup_epochs`, then falls as a cosine
    to `min_lr`; `weight_decay`; `clip` is the largest L2 norm of the gradient (None: any).

    Losses: `lambda_message` times the cross-entropy of the bits, `lambda_image` times the squared
    error of `image_loss` ("mse" of RGB or "yuv"), both on [0, 1], and from epoch
    `adversarial_start` on `lambda_adversarial` times the hinge loss of a PatchGAN that sees
    `discriminator` ("luma" or "rgb"). `balance` rescales them by their gradients.

    Strength: `scaling` is empty (the card's), or two values of scaling_w: the first one until the
    first of the `scaling_epochs`, then a cosine to the second one at the second of them.

    Edits: at each step `chained` of the `augmentations` are drawn, with replacement.

    Machine: `accelerator` ("auto", "cpu", "cuda"), `devices` on this machine, `strategy` ("ddp":
    a copy on each; "fsdp": shards), `precision` ("32", "bf16", "64"), `checkpoint_activations`
    (less memory, more time), `early_updates` (each weight as soon as its gradient is known, which
    is then let go: less memory; one device, no `clip`). `log_every` steps make a line of the log.

    >>> TrainConfig(model="linear", bits=1024, lr=5e-4).steps
    1000
    >>> TrainConfig(lr=0)
    Traceback (most recent call last):
        ...
    morebits.errors.InputError: lr is 0: give a number above 0
    """

    model: str = "videoseal-1.0"
    bits: int | None = None
    jnd: bool | None = None
    data: str = "gray"
    size: int = 256
    resize: bool = True
    workers: int = 0
    validation_data: str | None = None
    validation: int = 16
    validate_every: int = 1
    samples: int = 4
    epochs: int = 1
    steps_per_epoch: int = 1000
    batch: int = 16
    seed: int = 0
    lr: float = 5e-4
    min_lr: float = 1e-6
    warmup_epochs: float = 0.0
    weight_decay: float = 0.01
    clip: float | None = None
    lambda_message: float = 1.0
    lambda_image: float = 0.1
    image_loss: str = "mse"
    lambda_adversarial: float = 0.0
    adversarial_start: int = 0
    discriminator: str = "luma"
    balance: bool = False
    scaling: tuple[float, ...] = ()
    scaling_epochs: tuple[float, ...] = ()
    augmentations: tuple[str, ...] = ()
    chained: int = 1
    accelerator: str = "auto"
    devices: int = 1
    strategy: str = "ddp"
    precision: str = "32"
    checkpoint_activations: bool = False
    early_updates: bool = False
    log_every: int = 50

    def __post_init__(self) -> None:
        for name in ("scaling", "scaling_epochs", "augmentations"):  # TOML has lists
            object.__setattr__(self, name, _tuple(name, getattr(self, name)))
        if self.precision in (32, 64):  # 32 is a number in TOML, and after --set
            object.__setattr__(self, "precision", str(self.precision))
        for name in (*_WHOLE, *_NUMBERS, *_FLAGS, *_WORDS):
            value = getattr(self, name)
            if value is not None or name not in _OPTIONAL:
                _check(name, value)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise InputError(name, getattr(self, name), f"use one of {', '.join(choices)}")
        for name in self.augmentations:
            if name not in AUGMENTATIONS:
                raise UnknownName("augmentation", name, AUGMENTATIONS)
        self._check_together()

    def _check_together(self) -> None:
        """What one field asks of another."""
        if len(self.scaling) not in (0, 2):
            raise InputError("scaling", self.scaling, "give the first and the last value, or none")
        if len(self.scaling) != len(self.scaling_epochs):
            expected = "give as many as scaling has: the epochs where the change starts and ends"
            raise InputError("scaling_epochs", self.scaling_epochs, expected)
        for value in (*self.scaling, *self.scaling_epochs):
            _check_number("scaling", value, 0, True)
        if list(self.scaling_epochs) != sorted(self.scaling_epochs):
            raise InputError("scaling_epochs", self.scaling_epochs, "give the earlier one first")
        if self.batch % self.devices:
            expected = f"give a multiple of the {self.devices} devices, which share it"
            raise InputError("batch", self.batch, expected)
        if self.balance and self.strategy == "fsdp":
            expected = "leave it off: the layer it looks at is in shards with strategy fsdp"
            raise InputError("balance", True, expected)
        if self.early_updates and (self.devices > 1 or self.clip is not None):
            expected = "leave it off: clip and more than one device need all gradients at once"
            raise InputError("early_updates", True, expected)

    @property
    def steps(self) -> int:
        """Optimisation steps of the whole run."""
        return self.epochs * self.steps_per_epoch


def _tuple(name: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(name, value, "give a list")
    return tuple(value)


def _check(name: str, value: Any) -> None:
    """One field of its own."""
    if name in _WHOLE:
        if isinstance(value, bool) or not isinstance(value, int) or value < _WHOLE[name]:
            raise InputError(name, value, f"give a whole number of at least {_WHOLE[name]}")
    elif name in _NUMBERS:
        _check_number(name, value, *_NUMBERS[name])
    elif name in _FLAGS:
        if not isinstance(value, bool):
            raise InputError(name, value, "give true or false")
    elif not isinstance(value, str) or not value:
        raise InputError(name, value, "give a text")


def _check_number(name: str, value: Any, least: float, inclusive: bool) -> None:
    right = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not right or not math.isfinite(value) or value < least or (value == least and not inclusive):
        bound = f"of at least {least}" if inclusive else f"above {least}"
        raise InputError(name, value, f"give a number {bound}")
