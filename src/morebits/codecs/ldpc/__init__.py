"""The error-correcting code of the robust codec: LDPC codes of 5G New Radio (3GPP TS 38.212)."""

from __future__ import annotations

from morebits.codecs.ldpc.code import Code, Decoded

__all__ = ["Code", "Decoded"]
