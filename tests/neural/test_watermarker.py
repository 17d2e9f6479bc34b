"""Networks with everything around them: counts, blends, sizes, rounding, gradients."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.errors import InputError
from morebits.neural import build, card_names, count, load_card
from morebits.neural.architectures import Hidden, ViT
from morebits.neural.watermarker import resized, rounded


class TestCounts:
    """Golden: counts from a study of the published code, made before this code was written."""

    @pytest.mark.parametrize(
        ("name", "embedder", "extractor"),
        [
            ("videoseal-0.0", 16_635_891, 24_559_713),
            ("videoseal-1.0", 23_660_369, 33_372_545),
            ("videoseal-128", 10_957_649, 33_274_113),
            ("videoseal-32", 10_957_649, 33_274_113),
            ("chunkyseal", 1_022_745_283, 773_715_209),
            ("linear", 1024 * 196_608, 1024 * 196_608),
        ],
    )
    def test_cards(self, name, embedder, extractor):
        found = count(name)
        assert (found.embedder, found.extractor) == (embedder, extractor)
        assert found.total == embedder + extractor

    def test_parts_of_video_seal(self):
        made: Any = build("videoseal-1.0", "meta")

        def size(module):
            return sum(each.numel() for each in module.parameters())

        mine, other = made.embedder, made.extractor
        parts = [mine.first, mine.downs, mine.bottleneck, mine.ups, mine.last, mine.table]
        assert [size(each) for each in parts] == [2544, 506_688, 22_428_672, 591_376, 17, 131_072]
        assert [size(each) for each in other.reductions] == [4896, 74_112, 295_680, 1_181_184]
        stages = [239_904, 922_176, 10_841_472, 14_305_536]
        assert [size(each) for each in other.stages] == stages
        assert size(other.head) == 5_507_585

    def test_what_the_paper_prints_for_chunky_seal_s_extractor(self):
        """388.2 M with the printed widths; 773.7 M, which is printed too, with those as built."""
        card = load_card("chunkyseal")
        shape = replace(card.extractor, widths=(256, 512, 1024, 2048), reference_bits=None)
        assert round(count(replace(card, extractor=shape)).extractor / 1e6, 1) == 388.2


class TestEmbed:
    def test_evaluation_mode_by_default(self, small):
        assert not any(module.training for module in build(small).modules())

    @pytest.mark.parametrize("name", card_names())
    def test_every_card_runs_on_the_meta_device(self, name):
        made = build(name, "meta")
        images = torch.empty(1, 3, 260, 300, device="meta")
        assert made.extract(images).shape == (1, made.card.bits)
        marked = made.embedder(
            torch.empty(1, made.card.channels, made.card.size, made.card.size, device="meta"),
            torch.empty(1, made.card.bits, device="meta"),
        )
        assert marked.shape == (1, made.card.channels, made.card.size, made.card.size)

    @given(st.integers(32, 70), st.integers(32, 70))
    @settings(max_examples=8)
    def test_any_size(self, small, height, width):
        made = build(small)
        images = torch.rand(2, 3, height, width)
        with torch.inference_mode():
            marked = made.embed(images, torch.randint(0, 2, (2, 16)))
        assert marked.shape == images.shape
        assert bool(((marked >= 0) & (marked <= 1)).all())
        assert torch.allclose(marked * 255, torch.round(marked * 255), atol=1e-4)

    def test_luma_moves_all_channels_alike(self, small):
        made = build(replace(small, jnd=None))
        images = torch.full((1, 3, 32, 32), 128 / 255)
        change = made.embed(images, torch.ones(1, 16)) - images
        assert change.abs().max() > 0
        assert torch.equal(change[:, 0], change[:, 1])
        assert torch.equal(change[:, 0], change[:, 2])

    def test_the_blend(self, small):
        card = replace(small, jnd=None, scaling_w=0.1, scaling_i=0.9)
        made = build(card)
        images, messages = torch.rand(1, 3, 32, 32), torch.ones(1, 16)
        answer = made.residual(images, messages)
        expected = torch.round((0.9 * images + 0.1 * answer).clamp(0, 1) * 255) / 255
        assert torch.allclose(made.embed(images, messages), expected, atol=1e-6)
        made.scaling_w = 0.0
        faint = torch.round(0.9 * images * 255) / 255
        assert torch.allclose(made.embed(images, messages), faint, atol=1e-6)

    def test_the_message_changes_the_mark(self, small):
        made = build(small)
        images = torch.rand(1, 3, 32, 32)
        one, other = torch.zeros(1, 16), torch.zeros(1, 16)
        other[0, 5] = 1
        assert not torch.equal(made.residual(images, one), made.residual(images, other))

    def test_messages_may_be_whole_numbers(self, small):
        made = build(small)
        images, bits = torch.rand(2, 3, 32, 32), torch.randint(0, 2, (2, 16))
        assert torch.equal(made.embed(images, bits), made.embed(images, bits.float()))

    def test_the_table_sums_rows_2i_plus_bit(self, small):
        table: Any = build(small).embedder.table
        bits = torch.randint(0, 2, (3, 16))
        rows = table.weight[2 * torch.arange(16) + bits]
        assert torch.allclose(table(bits), rows.sum(1), atol=1e-5)

    def test_gradients_reach_every_weight(self, small):
        made = build(small).train()
        images = torch.rand(4, 3, 32, 32)
        messages = torch.randint(0, 2, (4, 16)).float()
        marked = made.embed(images, messages)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(made.extract(marked), messages)
        loss.backward()
        silent = [
            name
            for name, each in made.named_parameters()
            if each.grad is None or not bool(each.grad.abs().sum() > 0)
        ]
        assert silent == []

    @pytest.mark.parametrize("name", ["hidden", "linear"])
    def test_the_classics_learn_a_gray_picture(self, name):
        card = replace(load_card(name), bits=4, size=16, scaling_w=0.2)
        if name == "hidden":
            card = replace(card, embedder=Hidden(8, 1), extractor=Hidden(8, 2))
        made = build(card).train()
        optimiser = torch.optim.Adam(made.parameters(), 0.01)
        images = torch.full((16, 3, 16, 16), 0.5)
        right = []
        for _ in range(150):
            messages = torch.randint(0, 2, (16, 4)).float()
            logits = made.extract(made.embed(images, messages))
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, messages)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            right.append(((logits > 0) == (messages > 0)).float().mean().item())
        assert right[0] < 0.75
        assert sum(right[-25:]) / 25 > 0.8


class TestWrong:
    def test_shapes(self, small):
        made = build(small)
        images = torch.rand(2, 3, 32, 32)
        for messages in (torch.zeros(2, 15), torch.zeros(1, 16), torch.zeros(16)):
            with pytest.raises(InputError, match=r"give \(2, 16\): a row"):
                made.embed(images, messages)
        for wrong in (images[0], images[:, :1]):
            with pytest.raises(InputError, match=r"give \(batch, 3, height, width\)"):
                made.extract(wrong)
        for wrong in (images.numpy(), (255 * images).to(torch.uint8)):
            with pytest.raises(InputError, match=r"give a tensor of floats in \[0, 1\]"):
                made.extract(wrong)

    def test_too_small(self, small):
        with pytest.raises(InputError, match=r"40x31 pixels': small takes 32x32 or larger"):
            build(small).extract(torch.rand(1, 3, 31, 40))


class TestParts:
    def test_rounding_passes_the_gradient(self):
        values = torch.rand(100, requires_grad=True)
        rounded(values).sum().backward()
        assert torch.equal(values.grad, torch.ones(100))
        levels = rounded(values) * 255
        assert torch.allclose(levels, torch.round(levels), atol=1e-4)

    def test_the_same_size_is_left_alone(self):
        images = torch.rand(1, 3, 8, 8)
        assert resized(images, 8) is images

    def test_resizing_is_pillow_s(self):
        """The published resize is the antialiased one; Pillow's is an independent version."""
        import numpy as np
        from PIL import Image

        plane = np.random.default_rng(0).random((37, 53), dtype=np.float32)
        for height, width in ((16, 16), (100, 90)):
            ours = resized(torch.from_numpy(plane)[None, None], (height, width))[0, 0].numpy()
            size = width, height
            theirs = np.asarray(Image.fromarray(plane).resize(size, Image.Resampling.BILINEAR))
            # torch places its filters in float32: up to 53 pixels from the start, 3e-6 off.
            assert np.abs(ours - theirs).max() < 1e-5

    def test_windows_see_only_themselves(self):
        """A change in one window leaves the others alone, unless a block sees everything."""
        for whole, expected in (((), False), ((0,), True)):
            card = load_card("videoseal-0.0")
            shape = ViT(8, 12, 1, 2, 2, whole)
            blocks: Any = build(replace(card, size=32, extractor=shape)).extractor.blocks
            x = torch.randn(1, 4, 4, 12)
            y = x.clone()
            y[0, 0, 0] = torch.randn(12)
            changed = (blocks(x) != blocks(y)).any(-1)[0]
            assert bool(changed[:2, :2].all())
            assert bool(changed[2:, 2:].any()) == expected
