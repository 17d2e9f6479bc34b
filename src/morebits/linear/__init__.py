"""Image edits as affine operators."""
