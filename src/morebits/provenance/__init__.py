"""Who made a picture, in its pixels: a signed manifest that stays when the metadata is gone.

`signing.sign` makes two signed things. The file gets a C2PA manifest (`embedded`), whose hash of
the file's bytes no edit survives. The pixels get a compact manifest of our own (`sealed`): a claim
(`claim`) with a description of the picture (`description`), the signature over it, and the
certificate or its thumbprint. `verifying.verify` finds the latter in an edited copy and says what
holds. docs/provenance.md has the format, and what is not claimed.
"""
