"""Steps without a gradient, given that of the identity: training sees what a file really does."""

from __future__ import annotations

import io

import numpy as np
import torch
from PIL import Image
from torch import Tensor


def straight_through(before: Tensor, after: Tensor) -> Tensor:
    """The values of `after` with the gradient of `before`.

    >>> x = torch.tensor([0.2], requires_grad=True)
    >>> y = straight_through(x, x.round())
    >>> y.backward(); y.item(), x.grad.item()
    (0.0, 1.0)
    """
    return before + (after - before).detach()


def jpeg(pictures: Tensor, quality: int) -> Tensor:
    """Real JPEG files of Pillow (4:2:0), picture by picture, with a straight-through gradient.

    >>> jpeg(torch.full((1, 3, 8, 8), 0.5), 50).shape
    torch.Size([1, 3, 8, 8])
    """
    samples = (pictures.detach().clamp(0, 1) * 255).round().to(torch.uint8)
    arrays = samples.permute(0, 2, 3, 1).contiguous().cpu().numpy()
    decoded = np.stack([_coded(each, quality) for each in arrays])
    after = torch.from_numpy(decoded).to(pictures.device).permute(0, 3, 1, 2)
    return straight_through(pictures, after.to(pictures.dtype) / 255)


def _coded(array: np.ndarray, quality: int) -> np.ndarray:
    file = io.BytesIO()
    Image.fromarray(array).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))
