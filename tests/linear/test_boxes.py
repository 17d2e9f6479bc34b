"""Bound 13 in the basis of output pixels."""

import numpy as np
import pytest

from morebits import linear
from morebits.linear.boxes import output_box
from morebits.measure import capacity
from morebits.types import ImageFormat

SMALL = ImageFormat(3, 16, 16, 8)

#: The paper's table "Conservative capacity bounds" at 16 px and 42 dB (made with peak 256).
CONSERVATIVE = {
    "hflip": 2352, "crop:0.25": 81, "crop:0.5": 11, "crop:0.75": 3, "rotate:15": 64,
    "rotate:30": 57, "rotate:45": 64,
}  # fmt: skip
SLOW = {"linjpeg:8": 102, "linjpeg:10": 104, "linjpeg:15": 105}


@pytest.mark.parametrize(("edit", "printed"), CONSERVATIVE.items())
def test_at_least_the_paper(edit: str, printed: int):
    assert capacity(SMALL, psnr=42, under=edit, bound=13, peak=256).bits >= printed


@pytest.mark.full
@pytest.mark.parametrize(("edit", "printed"), SLOW.items())
def test_at_least_the_paper_for_lin_jpeg(edit: str, printed: int):
    assert capacity(SMALL, psnr=42, under=edit, bound=13, peak=256).bits >= printed


@pytest.mark.parametrize("edit", ["hflip", "rotate:15", "rotate:30", "rotate:45"])
def test_along_singular_vectors_it_is_the_papers_figure(edit: str):
    found = capacity(SMALL, psnr=42, under=edit, bound=13, peak=256)
    assert int(found.details["svd_basis_bits"]) == CONSERVATIVE[edit]


@pytest.mark.parametrize("edit", ["crop:0.6", "rotate:20", "linjpeg:6", "blur:0.8", "resize:0.5"])
def test_the_box_holds_every_preimage(edit: str):
    """Sampled pairs that round alike stay inside the box along its own basis."""
    format = ImageFormat(3, 16, 16, 8) if edit.startswith("lin") else ImageFormat(1, 8, 8, 8)
    matrix = linear.parse(edit).at(format).dense()
    from scipy.linalg import qr, solve_triangular

    w, r, _ = qr(matrix.T, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(r)) > 1e-10 * np.abs(r[0, 0])).sum())
    beta = 0.5 * np.abs(solve_triangular(r[:rank, :rank], np.eye(rank), trans="T")).sum(1)
    rng = np.random.default_rng(0)
    pseudo = np.linalg.pinv(matrix, rcond=1e-10)
    for _ in range(50):
        # Any x with |M x| <= 1/2 in every output is half a difference of two that round alike.
        x = pseudo @ rng.uniform(-0.5, 0.5, matrix.shape[0])
        x *= 0.5 / max(np.abs(matrix @ x).max(), 1e-12)
        assert (np.abs(w[:, :rank].T @ x) <= beta + 1e-9).all()


def test_products_and_dense_matrices_agree_where_the_pivots_do():
    format = ImageFormat(1, 6, 5, 8)
    operator = linear.crop_rescale(0.5).at(format)
    box = output_box(operator)
    assert box is not None
    assert box.counts.sum() == np.linalg.matrix_rank(operator.dense())


def test_too_large_is_left_to_the_singular_vectors():
    assert output_box(linear.rotation(10).at(ImageFormat(1, 64, 64, 8))) is None
