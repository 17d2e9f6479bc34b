"""The published networks once more, as plain functions of tensors under their official names.

Written from the description of the layers, in float64 and without modules, so that it shares
neither structure nor names with the code under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.nn import functional

State = Mapping[str, Tensor]
Step = Callable[[Tensor], Tensor]


def channel_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    mean = x.mean(1, keepdim=True)
    spread = ((x - mean) ** 2).mean(1, keepdim=True)
    return (x - mean) / (spread + 1e-6).sqrt() * weight[:, None, None] + bias[:, None, None]


def any_norm(p: State, at: str, x: Tensor) -> Tensor:
    """Channel-RMS where there is a gamma, else batch norm with its running statistics."""
    if f"{at}.gamma" in p:
        return x / x.norm(dim=1, keepdim=True) * math.sqrt(x.shape[1]) * p[f"{at}.gamma"]
    mean, spread = (p[f"{at}.running_{each}"][:, None, None] for each in ("mean", "var"))
    weight, bias = (p[f"{at}.{each}"][:, None, None] for each in ("weight", "bias"))
    return (x - mean) / (spread + 1e-5).sqrt() * weight + bias


def residual(p: State, at: str, x: Tensor, act: Step) -> Tensor:
    y = functional.conv2d(x, p[f"{at}.double_conv.0.weight"], padding=1)
    y = act(any_norm(p, f"{at}.double_conv.1", y))
    y = functional.conv2d(y, p[f"{at}.double_conv.3.weight"], padding=1)
    y = act(any_norm(p, f"{at}.double_conv.4", y))
    return y + functional.conv2d(x, p[f"{at}.res_conv.weight"], p[f"{at}.res_conv.bias"])


def unet(p: State, images: Tensor, bits: Tensor, blocks: int, act: Step) -> Tensor:
    u = "embedder.unet"
    table = p[f"{u}.msg_processor.msg_embeddings.weight"]
    x = residual(p, f"{u}.inc", images * 2 - 1, act)
    skips = []
    for i in range(3):
        down = f"{u}.downs.{i}"
        x = functional.conv2d(
            x, p[f"{down}.down.weight"], p[f"{down}.down.bias"], stride=2, padding=1
        )
        x = residual(p, f"{down}.conv", x, act)
        skips.append(x)
    rows = torch.stack([sum(table[2 * i + int(b)] for i, b in enumerate(row)) for row in bits])
    planes = rows[:, :, None, None].repeat(1, 1, *x.shape[2:])
    x = torch.cat([x, planes], 1)
    skips[2] = x
    for k in range(blocks):
        x = residual(p, f"{u}.bottleneck.model.{k}", x, act)
    for i in range(3):
        up = f"{u}.ups.{i}"
        x = torch.cat([x, skips[2 - i] / math.sqrt(2)], 1)
        x = functional.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        x = functional.conv2d(
            functional.pad(x, (1, 1, 1, 1), "reflect"), p[f"{up}.up.upsample_block.2.weight"]
        )
        at = f"{up}.up.upsample_block.3"
        x = act(channel_norm(x, p[f"{at}.weight"], p[f"{at}.bias"]))
        x = residual(p, f"{up}.conv", x, act)
    return torch.tanh(functional.conv2d(x, p[f"{u}.outc.weight"], p[f"{u}.outc.bias"]))


def head(p: State, x: Tensor, padding: str) -> Tensor:
    at = "detector.pixel_decoder.output_upscaling.0.upsample_block"
    x = functional.conv2d(functional.pad(x, (1, 1, 1, 1), padding), p[f"{at}.2.weight"])
    x = functional.gelu(channel_norm(x, p[f"{at}.3.weight"], p[f"{at}.3.bias"]))
    linear = "detector.pixel_decoder.linear"
    answer = x.mean((2, 3)) @ p[f"{linear}.weight"].T + p[f"{linear}.bias"]
    return answer[:, 1:]  # column 0 is detection


def convnext(
    p: State, images: Tensor, depths: tuple[int, ...], stride: int, padding: str
) -> Tensor:
    x = images * 2 - 1
    for s, depth in enumerate(depths):
        at = f"detector.convnext.downsample_layers.{s}"
        order = ("conv", "norm") if s == 0 else ("norm", "conv")
        for j, kind in enumerate(order):
            weight, bias = p[f"{at}.{j}.weight"], p[f"{at}.{j}.bias"]
            if kind == "norm":
                x = channel_norm(x, weight, bias)
            else:
                x = functional.conv2d(x, weight, bias, stride=stride if s == 0 else 2)
        for j in range(depth):
            x = x + convnext_block(p, f"detector.convnext.stages.{s}.{j}", x)
    return head(p, x, padding)


def convnext_block(p: State, at: str, x: Tensor) -> Tensor:
    weight, bias = p[f"{at}.dwconv.weight"], p[f"{at}.dwconv.bias"]
    y = functional.conv2d(x, weight, bias, padding=3, groups=x.shape[1])
    y = channel_norm(y, p[f"{at}.norm.weight"], p[f"{at}.norm.bias"])
    y = torch.einsum("oc,bchw->bohw", p[f"{at}.pwconv1.weight"], y)
    y = functional.gelu(y + p[f"{at}.pwconv1.bias"][:, None, None])
    size = (y**2).sum((2, 3), keepdim=True).sqrt()  # of each channel over space
    share = size / (size.mean(1, keepdim=True) + 1e-6)
    gamma, beta = (p[f"{at}.grn.{each}"].reshape(-1, 1, 1) for each in ("gamma", "beta"))
    y = gamma * (y * share) + beta + y
    y = torch.einsum("oc,bchw->bohw", p[f"{at}.pwconv2.weight"], y)
    return y + p[f"{at}.pwconv2.bias"][:, None, None]


def vit(p: State, images: Tensor, patch: int, heads: int, windows: list[int]) -> Tensor:
    e = "detector.image_encoder"
    weight, bias = p[f"{e}.patch_embed.proj.weight"], p[f"{e}.patch_embed.proj.bias"]
    x = functional.conv2d(images * 2 - 1, weight, bias, stride=patch).permute(0, 2, 3, 1)
    x = x + p[f"{e}.pos_embed"]
    for k, window in enumerate(windows):
        at = f"{e}.blocks.{k}"
        y = functional.layer_norm(x, x.shape[-1:], p[f"{at}.norm1.weight"], p[f"{at}.norm1.bias"])
        mixed = torch.zeros_like(y)
        for top in range(0, y.shape[1], window):
            for left in range(0, y.shape[2], window):
                part = slice(top, top + window), slice(left, left + window)
                mixed[:, *part] = attention(p, f"{at}.attn", y[:, *part], heads)
        x = x + mixed
        y = functional.layer_norm(x, x.shape[-1:], p[f"{at}.norm2.weight"], p[f"{at}.norm2.bias"])
        y = functional.gelu(
            functional.linear(y, p[f"{at}.mlp.lin1.weight"], p[f"{at}.mlp.lin1.bias"])
        )
        x = x + functional.linear(y, p[f"{at}.mlp.lin2.weight"], p[f"{at}.mlp.lin2.bias"])
    x = functional.conv2d(x.permute(0, 3, 1, 2), p[f"{e}.neck.0.weight"])
    x = channel_norm(x, p[f"{e}.neck.1.weight"], p[f"{e}.neck.1.bias"])
    x = functional.conv2d(x, p[f"{e}.neck.2.weight"], padding=1)
    x = channel_norm(x, p[f"{e}.neck.3.weight"], p[f"{e}.neck.3.bias"])
    return head(p, x, "reflect")


def attention(p: State, at: str, x: Tensor, heads: int) -> Tensor:
    """Head by head and pair by pair, as slowly as it is clear."""
    batch, side, _, width = x.shape
    deep = width // heads
    flat = x.reshape(batch, side * side, width)
    q, k, v = functional.linear(flat, p[f"{at}.qkv.weight"], p[f"{at}.qkv.bias"]).split(width, -1)
    answers = []
    for head_number in range(heads):
        mine = slice(head_number * deep, (head_number + 1) * deep)
        scores = torch.empty(batch, side * side, side * side, dtype=x.dtype)
        for i in range(side * side):
            for j in range(side * side):
                down = p[f"{at}.rel_pos_h"][i // side - j // side + side - 1]
                across = p[f"{at}.rel_pos_w"][i % side - j % side + side - 1]
                query = q[:, i, mine]
                scores[:, i, j] = (query * k[:, j, mine]).sum(-1) / math.sqrt(deep) + query @ (
                    down + across
                )
        answers.append(scores.softmax(-1) @ v[:, :, mine])
    mixed = torch.cat(answers, -1)
    return functional.linear(mixed, p[f"{at}.proj.weight"], p[f"{at}.proj.bias"]).reshape(x.shape)
