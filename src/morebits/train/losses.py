"""What training makes small: errors of message and picture, and what gives the mark away."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

#: Red, green and blue as Y, U and V, as published.
_YUV = (
    (0.299, 0.587, 0.114),
    (-0.14713, -0.28886, 0.436),
    (0.615, -0.51499, -0.10001),
)
#: Keeps the balance finite where a loss has no gradient, as published.
_TINY = 1e-12


def message_loss(logits: Tensor, messages: Tensor) -> Tensor:
    """Mean binary cross-entropy of the bits, in nats.

    >>> round(float(message_loss(torch.zeros(1, 4), torch.ones(1, 4))), 4)
    0.6931
    """
    return functional.binary_cross_entropy_with_logits(logits, messages.to(logits.dtype))


def image_loss(kind: str, covers: Tensor, marked: Tensor) -> Tensor:
    """Mean squared error on [0, 1], of RGB ("mse") or of its YUV transform ("yuv").

    >>> float(image_loss("mse", torch.zeros(1, 3, 2, 2), torch.ones(1, 3, 2, 2)))
    1.0
    """
    difference = marked - covers
    return (yuv(difference) if kind == "yuv" else difference).square().mean()


def yuv(pictures: Tensor) -> Tensor:
    """RGB (B, 3, H, W) as YUV.

    >>> yuv(torch.ones(1, 3, 1, 1)).flatten().round(decimals=4).abs().tolist()
    [1.0, 0.0, 0.0]
    """
    return torch.einsum("oc,bchw->bohw", pictures.new_tensor(_YUV), pictures)


def hinge_loss(real: Tensor, marked: Tensor) -> Tensor:
    """What the discriminator makes small: below 1 for covers, above -1 for marked pictures.

    >>> float(hinge_loss(torch.tensor([1.0]), torch.tensor([0.0])))
    0.5
    """
    return (functional.relu(1 - real).mean() + functional.relu(1 + marked).mean()) / 2


def adversarial_loss(marked: Tensor) -> Tensor:
    """What the embedder makes small: minus the discriminator's answers for its pictures."""
    return -marked.mean()


def discriminator(kind: str) -> nn.Sequential:
    """A PatchGAN of two layers on luma or RGB, with weights of N(0, 0.02).

    >>> sum(each.numel() for each in discriminator("luma").parameters())
    167009
    """
    layers: list[nn.Module] = [_convolution(1 if kind == "luma" else 3, 32, 2), _leaky()]
    for before, after, stride in ((32, 64, 2), (64, 128, 1)):
        layers += [_convolution(before, after, stride), nn.GroupNorm(4, after), _leaky()]
    return nn.Sequential(*layers, _convolution(128, 1, 1))


def balanced(
    losses: Mapping[str, Tensor],
    weights: Mapping[str, float],
    layer: Tensor,
    reduce: Callable[[Tensor], Tensor],
) -> dict[str, Tensor]:
    """Weights with which the gradients of the losses at `layer` have norms of given proportions.

    Each becomes its share of all weights over the norm of its gradient, so that the norms add
    up to one at most. `reduce` averages a gradient over all devices.

    >>> layer = torch.ones(2, requires_grad=True)
    >>> found = balanced({"a": 5 * layer.sum()}, {"a": 1.0}, layer, lambda each: each)
    >>> round(float(found["a"]) * 5 * 2**.5, 6)
    1.0
    """
    total = sum(weights[name] for name in losses)
    found: dict[str, Tensor] = {}
    for name, loss in losses.items():
        (gradient,) = torch.autograd.grad(loss, layer, retain_graph=True)
        found[name] = weights[name] / total / (reduce(gradient).norm() + _TINY)
    return found


def _convolution(before: int, after: int, stride: int) -> nn.Conv2d:
    layer = nn.Conv2d(before, after, 4, stride, 1)
    nn.init.normal_(layer.weight, 0.0, 0.02)
    return layer


def _leaky() -> nn.LeakyReLU:
    return nn.LeakyReLU(0.2)
