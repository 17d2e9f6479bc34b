"""A watermarker in torch as the network of a codec."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from morebits.neural.codec import Floats
from morebits.neural.watermarker import Watermarker


class TorchNetwork:
    """One picture at a time, on the device where the watermarker is."""

    def __init__(self, watermarker: Watermarker):
        self.watermarker = watermarker.eval()
        self.name, self.bits = watermarker.card.name, watermarker.card.bits
        self.least = watermarker.card.least
        self._device = next(watermarker.parameters()).device

    @torch.inference_mode()
    def change(self, image: Floats, message: NDArray[np.uint8], /) -> Floats:
        mine, pictures = self.watermarker, self._tensor(image)
        added = mine.scaling_w * mine.residual(pictures, self._tensor(message.astype(np.float32)))
        if mine.card.scaling_i != 1:
            added = added + (mine.card.scaling_i - 1) * pictures
        return added.expand_as(pictures)[0].cpu().numpy()

    @torch.inference_mode()
    def logits(self, image: Floats, /) -> Floats:
        return self.watermarker.extract(self._tensor(image))[0].cpu().numpy()

    def _tensor(self, values: Floats) -> torch.Tensor:
        """A batch of one."""
        return torch.from_numpy(values[None]).to(self._device)
