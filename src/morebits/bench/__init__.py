"""Judge any watermarker: metrics, runner, peers, sanity checks and report."""
