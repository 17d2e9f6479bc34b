"""Who vouches for a signer: the certificates that a reader trusts.

Every certificate of the list is trusted as it is: a signer's own, or that of an authority which
issued it directly. There are no longer paths, so that nothing depends on who built them; give the
authority nearest to the signer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cryptography import x509

from morebits.provenance import certificates

#: Critical extensions that are looked at; RFC 5280 (4.2) forbids to go on with any other.
_UNDERSTOOD = (x509.BasicConstraints, x509.KeyUsage, x509.ExtendedKeyUsage)


@dataclass(frozen=True)
class Vouched:
    """Whether somebody vouches for a certificate; `why` in words."""

    holds: bool
    why: str


def vouch(
    certificate: x509.Certificate, trusted: Sequence[x509.Certificate], at: datetime
) -> Vouched:
    """Look for a certificate, or its issuer, in the list, and for a reason against it.

    >>> from datetime import UTC
    >>> from morebits.provenance import trial
    >>> own, authority = trial.make("Ann").chain
    >>> vouch(own, [authority], datetime.now(UTC)).why
    "'authority of Ann' vouches for it, which is on the list of trusted ones"
    >>> vouch(own, trial.make("Ann").chain, datetime.now(UTC)).holds
    False
    """
    if problem := certificates.unfit(certificate, at) or _strange(certificate):
        return Vouched(False, problem)
    if not trusted:
        return Vouched(False, "no trusted certificates were given (--trust)")
    if certificate in trusted:
        return Vouched(True, "the certificate is on the list of trusted ones")
    for each in trusted:
        if certificates.issued(certificate, each):
            name = certificates.name(each)
            if not each.not_valid_before_utc <= at <= each.not_valid_after_utc:
                return Vouched(False, f"{name!r} issued it, whose own certificate has expired")
            if problem := _strange(each):
                return Vouched(False, f"{name!r} issued it, but {problem}")
            return Vouched(True, f"{name!r} vouches for it, which is on the list of trusted ones")
    return Vouched(False, "neither the certificate nor its issuer is on the list of trusted ones")


def _strange(certificate: x509.Certificate) -> str | None:
    """A restriction that is not understood here: then nothing may be concluded."""
    for each in certificate.extensions:
        known: Any = isinstance(each.value, _UNDERSTOOD)
        # Names that an authority may not vouch for would have to be compared.
        if (each.critical and not known) or isinstance(each.value, x509.NameConstraints):
            return f"it has a restriction that is not understood here ({each.oid.dotted_string})"
    return None
