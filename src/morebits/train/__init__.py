"""Train watermarking networks: configuration, data, losses and one loop, on one device or many.

Needs the extra `train`; `mb.fit` and `mb.TrainConfig` are loaded when they are first used.
"""
