from __future__ import annotations

import numpy as np

from morebits.neural.mosaic import network
from morebits.neural.mosaic.reading import FEATURES
from morebits.neural.mosaic.tiles import NUMBERS, TILE, analyse, synthesise


def test_functions_see_only_what_was_written_into_them():
    functions = network.trained().functions
    assert np.allclose(functions @ functions.T, np.eye(NUMBERS), atol=1e-5)
    numbers = np.random.default_rng(1).normal(0, 20, (3, 4, NUMBERS)).astype(np.float32)
    plane = synthesise(numbers, functions)
    assert plane.shape == (3 * TILE, 4 * TILE)
    assert np.allclose(analyse(plane, functions), numbers, atol=1e-3)


def test_weights_are_small_and_say_where_they_come_from():
    assert network.FILE.stat().st_size < 5_000_000
    scales = network.scales(network.FILE)
    assert set(scales) == {"trained", "untrained"}
    writer, reader = network.trained().parameters
    assert writer == NUMBERS * TILE**2 + NUMBERS
    assert reader > 10_000


def test_an_untrained_reader_believes_the_same_of_every_number():
    sigma, lost = network.untrained().believe(np.ones((4, 5, FEATURES), np.float32))
    assert sigma.shape == lost.shape == (4, 5, NUMBERS)
    assert np.allclose(sigma, network.START[0])
    assert np.allclose(lost, network.START[1])


def test_a_saved_network_is_the_same_when_loaded(tmp_path):
    trained = network.trained()
    network.save(trained, tmp_path / "copy.safetensors", {"scales": "{}"})
    again = network.load(tmp_path / "copy.safetensors")
    features = np.random.default_rng(2).normal(0, 1, (6, 7, FEATURES)).astype(np.float32)
    for mine, other in zip(trained.believe(features), again.believe(features), strict=True):
        assert np.array_equal(mine, other)


def test_the_reader_is_the_convolution_that_torch_trained():
    import torch
    from torch.nn import functional

    trained = network.trained()
    features = np.random.default_rng(4).normal(0, 1, (8, 9, FEATURES)).astype(np.float32)
    maps = torch.from_numpy(((features - trained.mean) * trained.scale).transpose(2, 0, 1))[None]
    for number, (kernel, bias) in enumerate(trained.layers):
        weight = torch.from_numpy(np.ascontiguousarray(kernel.transpose(3, 2, 0, 1)))
        maps = functional.conv2d(maps, weight, torch.from_numpy(bias), padding=len(kernel) // 2)
        if number + 1 < len(trained.layers):
            maps = maps.relu()
    wanted = trained.start[0] * maps[0, :NUMBERS].exp().clamp(1e-9).numpy().transpose(1, 2, 0)
    sigma, lost = trained.believe(features)
    assert np.allclose(sigma, np.clip(wanted, 0.02, 1.0), rtol=1e-4)
    assert lost.min() >= 1e-3
    assert lost.max() <= 1 - 1e-3
