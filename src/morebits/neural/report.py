"""What became of each tensor of a file with weights."""

from __future__ import annotations

from dataclasses import dataclass

from morebits.errors import WeightsError


@dataclass(frozen=True)
class Report:
    """Names of tensors: `matched` and `missing` are ours, `ignored` are the file's.

    `wrong` are those of another shape, as text with both.

    >>> Report(("a", "b"), (), ("rgb2yuv.M",), ()).text
    '2 tensors matched, 0 missing, 0 of a wrong shape, 1 ignored'
    """

    matched: tuple[str, ...]
    missing: tuple[str, ...]
    ignored: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def text(self) -> str:
        """The numbers in a line."""
        return (
            f"{len(self.matched):,} tensors matched, {len(self.missing):,} missing, "
            f"{len(self.wrong):,} of a wrong shape, {len(self.ignored):,} ignored"
        )

    def check(self, source: object, card: str) -> None:
        """WeightsError, with the first three names, unless every tensor of ours has its match."""
        fix = f"give the file that belongs to {card}, or the card and bits that belong to the file"
        for names, problem in ((self.wrong, "of another shape"), (self.missing, "missing")):
            if names:
                some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
                number = f"{len(names):,} tensor{'s are' if len(names) > 1 else ' is'}"
                raise WeightsError(source, f"{number} {problem} ({some})", fix)
