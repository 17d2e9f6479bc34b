"""The trellis codec: blind, any picture, any rate.

`viterbi` has the mathematics, `lanes` its vector instructions, `columns` the code; `layout`
says where in a picture things are, `plan` how a message is divided, `head` what tells the
decoder so; `segments` and `body` put it together, and `codec` is what users see.
"""

from morebits.codecs.trellis.codec import Trellis

__all__ = ["Trellis"]
