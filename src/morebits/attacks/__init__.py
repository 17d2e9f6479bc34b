"""Real edits between hiding and revealing: what a picture goes through in the world.

    >>> import numpy as np
    >>> from morebits import attacks
    >>> picture = np.full((48, 64, 3), 200, np.uint8)
    >>> attacks.parse("crop:0.5|jpeg:60")(picture, seed=1).shape
    (24, 32, 3)
    >>> [attack.label for attack in attacks.suite("paper")][:3]
    ['Identity', 'Horizontal Flip', 'Rotate 5°']

Texts are written in the grammar of `--under`, but these are the edits that files go through, not
their linear models. `docs/attacks.md` has the table of all words.
"""

from morebits.attacks.attack import Attack
from morebits.attacks.parse import parse
from morebits.attacks.suites import SUITES, suite
from morebits.attacks.table import FAMILIES, KNOWN
from morebits.attacks.writing import Attacked, write

__all__ = ["FAMILIES", "KNOWN", "SUITES", "Attack", "Attacked", "parse", "suite", "write"]
